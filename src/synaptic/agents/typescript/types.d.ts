// Made by `make gen` from the engine's own structs: change docs/pages/typescript.py instead.

/** A tool is about to run. */
export interface PreToolUse {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
}

/** A tool ran and succeeded. */
export interface PostToolUse {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  tool_response?: unknown
  duration_ms?: number
}

/** A tool failed or was interrupted. */
export interface PostToolUseFailure {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  error?: string
  is_interrupt?: boolean
  duration_ms?: number
}

/** All tools of one model turn have ended. */
export interface PostToolBatch {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_calls?: Record<string, unknown>[]
}

/** The agent tells its user something. */
export interface Notification {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  message?: string
  title?: string
  notification_type?: string
}

/** A prompt was submitted and has not reached the model yet. */
export interface UserPromptSubmit {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  prompt?: string
  source?: string
  session_title?: string
}

/** A slash command or MCP prompt is about to be expanded. */
export interface UserPromptExpansion {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  expansion_type?: string
  command_name?: string
  command_args?: string
  command_source?: string
  prompt?: string
}

/** A context window opens. */
export interface SessionStart {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  source?: string
  model?: string
  session_title?: string
}

/** A session is over. */
export interface SessionEnd {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  reason?: string
}

/** The agent wants to end its turn. */
export interface Stop {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  stop_hook_active?: boolean
  last_assistant_message?: string
  background_tasks?: Record<string, unknown>[]
  session_crons?: Record<string, unknown>[]
}

/** The turn ended with an API error. */
export interface StopFailure {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  error?: string
  error_details?: string
  last_assistant_message?: string
}

/** A sub-agent starts. */
export interface SubagentStart {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
}

/** A sub-agent wants to end. */
export interface SubagentStop {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  stop_hook_active?: boolean
  last_assistant_message?: string
  background_tasks?: Record<string, unknown>[]
  session_crons?: Record<string, unknown>[]
  agent_transcript_path?: string
}

/** The context is about to be compacted. */
export interface PreCompact {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  trigger?: string
  custom_instructions?: string | null
}

/** The context was compacted. */
export interface PostCompact {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  trigger?: string
  compact_summary?: string
}

/** The model is about to change. */
export interface PreModelSwitch {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  from_model?: string
  to_model?: string
  requested_model?: string | null
  source?: string
  context_tokens?: number
  prompt_cache_warm?: boolean
}

/** The model has changed. */
export interface PostModelSwitch {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  from_model?: string
  to_model?: string
  requested_model?: string | null
  source?: string
  context_tokens?: number
  prompt_cache_warm?: boolean
}

/** The agent is about to ask the user for permission. */
export interface PermissionRequest {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  permission_suggestions?: Record<string, unknown>[]
}

/** The agent's own classifier refused a tool. */
export interface PermissionDenied {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  tool_name?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  reason?: string
}

/** The agent was started to set up or maintain a project. */
export interface Setup {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  trigger?: string
}

/** A teammate has nothing left to do. */
export interface TeammateIdle {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  teammate_name?: string
  team_name?: string
}

/** A task is about to be created. */
export interface TaskCreated {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  task_id?: string
  task_subject?: string
  task_description?: string
  teammate_name?: string
  team_name?: string
}

/** A task is about to be marked as completed. */
export interface TaskCompleted {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  task_id?: string
  task_subject?: string
  task_description?: string
  teammate_name?: string
  team_name?: string
}

/** An MCP server wants an answer from the user. */
export interface Elicitation {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  mcp_server_name?: string
  message?: string
  mode?: string
  url?: string
  elicitation_id?: string
  requested_schema?: Record<string, unknown>
}

/** The user's answer is about to go to an MCP server. */
export interface ElicitationResult {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  mcp_server_name?: string
  elicitation_id?: string
  mode?: string
  action?: string
  content?: Record<string, unknown>
}

/** A settings file changed and is about to take effect. */
export interface ConfigChange {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  source?: string
  file_path?: string
}

/** The agent wants a worktree; whoever listens must create it. */
export interface WorktreeCreate {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  name?: string
}

/** The agent is done with a worktree. */
export interface WorktreeRemove {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  worktree_path?: string
}

/** An instructions file was loaded. */
export interface InstructionsLoaded {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  file_path?: string
  memory_type?: string
  load_reason?: string
  globs?: string[]
  trigger_file_path?: string
  parent_file_path?: string
}

/** The working directory moved. */
export interface CwdChanged {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  old_cwd?: string
  new_cwd?: string
}

/** A watched file changed. */
export interface FileChanged {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  file_path?: string
  event?: string
}

/** A directory was added to the workspace. */
export interface DirectoryAdded {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  directory?: string
  source?: string
}

/** A piece of the model's text is about to be shown. */
export interface MessageDisplay {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  turn_id?: string
  message_id?: string
  index?: number
  final?: boolean
  delta?: string
}

/** An ability is about to be called. */
export interface PreAbilityCall {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  ability_id?: string
  operation_key?: string
  stage?: string
  timestamp?: string
  repository_root?: string
  planned_input_summary?: string
}

/** An ability call has ended. */
export interface PostAbilityCall {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  ability_id?: string
  operation_key?: string
  stage?: string
  timestamp?: string
  repository_root?: string
  status?: string
  duration_ms?: number | null
  input_summary?: string
  output_summary?: string
  tool_call_path?: string
}

/** A session is stopped on purpose. */
export interface SessionStop {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  prompt_id?: string
  permission_mode?: string
  agent_id?: string
  agent_type?: string
  changed_files?: string[]
  stage?: string
  timestamp?: string
  repository_root?: string
}

/** The result model of a handler; keys nobody knows are kept per hook in `extra`. */
export interface HookResult {
  logs?: Record<string, unknown>[]
  messages_to_user?: string[]
  suggested_abilities?: Record<string, unknown>[]
  suggested_documents?: Record<string, unknown>[]
  new_intent?: Record<string, unknown> | null
  /** Every intent that was emitted when several hooks did; the first is `new_intent`. */
  intents?: Record<string, unknown>[]
  follow_up_actions?: Record<string, unknown>[]
  usage_recorded?: boolean
  error?: string
  extra?: Record<string, unknown>
}

/** One line of the trace: which hook, in which phase, said what, and how long it took. */
export interface TraceStep {
  hook: string
  kind?: "none" | "advise" | "allow" | "rewrite" | "ask" | "deny"
  priority?: number
  /** run, recheck, quiet (nothing to say), started (not awaited), background, skipped, lifted (by a grant), told (by a gate, after another one has refused), held (for a person), degraded, escalated, raised. */
  phase?: string
  reason?: string
  note?: string
  micros?: number
  fault?: string
  source?: string
  /** What a hook that failed has printed there. */
  stderr?: string
}

/** One policy's refusal of a call, or its question: what a person would have to lift. */
export interface RefusedAct {
  policy: string
  /** Digest of how the policy is set here: set otherwise, it is another policy. */
  options: string
  /** Of the call, as it was made and as the policy saw it, with the folder it was made in. Keyed: it tells nothing. */
  fingerprint: string
  /** Digest of what would be lost, where the reason names that: a yes to one file is no yes to two. */
  stakes?: string
  /** It was a question. */
  asks?: boolean
  is_grantable?: boolean
}

/** The merge of all verdicts, with the trace that explains it. */
export interface Decision {
  kind?: "none" | "advise" | "allow" | "rewrite" | "ask" | "deny"
  /** The hook that decided. */
  by?: string
  reason?: string
  /** The final input when it was rewritten; also beside an ASK. */
  input?: Record<string, unknown> | null
  /** Some hook said allow explicitly (a rewrite alone is no permission). */
  allowed?: boolean
  context?: string[]
  messages?: string[]
  /** Blocks of Post and Stop events: told to the model, never a verdict on the past. */
  feedback?: string[]
  warnings?: string[]
  extras?: Record<string, unknown>
  result?: HookResult | null
  trace?: TraceStep[]
  /** Verdicts that a person could lift, the deciding one first. Not in the journal: `code` is. */
  refused?: RefusedAct[]
  /** The handle under which a person finds this refusal. */
  code?: string
  /** Exceptions without which it would have been refused, or asked about. */
  grants?: string[]
}

/** Every event by its name. Fields may be left out; a field that nobody knows reaches every hook. */
export interface Events {
  PreToolUse: PreToolUse
  PostToolUse: PostToolUse
  PostToolUseFailure: PostToolUseFailure
  PostToolBatch: PostToolBatch
  Notification: Notification
  UserPromptSubmit: UserPromptSubmit
  UserPromptExpansion: UserPromptExpansion
  SessionStart: SessionStart
  SessionEnd: SessionEnd
  Stop: Stop
  StopFailure: StopFailure
  SubagentStart: SubagentStart
  SubagentStop: SubagentStop
  PreCompact: PreCompact
  PostCompact: PostCompact
  PreModelSwitch: PreModelSwitch
  PostModelSwitch: PostModelSwitch
  PermissionRequest: PermissionRequest
  PermissionDenied: PermissionDenied
  Setup: Setup
  TeammateIdle: TeammateIdle
  TaskCreated: TaskCreated
  TaskCompleted: TaskCompleted
  Elicitation: Elicitation
  ElicitationResult: ElicitationResult
  ConfigChange: ConfigChange
  WorktreeCreate: WorktreeCreate
  WorktreeRemove: WorktreeRemove
  InstructionsLoaded: InstructionsLoaded
  CwdChanged: CwdChanged
  FileChanged: FileChanged
  DirectoryAdded: DirectoryAdded
  MessageDisplay: MessageDisplay
  PreAbilityCall: PreAbilityCall
  PostAbilityCall: PostAbilityCall
  SessionStop: SessionStop
}

export type EventName = keyof Events
