from synaptic.packages.profile_repo import RepoProfile, read_repo_profile


def test_a_repository_is_known_by_its_files(tmp_path):
    """S0-166"""
    root = tmp_path / "shop"
    (root / ".github" / "workflows").mkdir(parents=True)
    for name in ("go.mod", "Cargo.toml", "pytest.ini", "jest.config.mjs", "pnpm-workspace.yaml"):
        (root / name).touch()
    (root / "package.json").write_text('{"dependencies": {"react": "1", "next": "2"}}')
    (root / "requirements.txt").write_text("fastapi==1\n")
    assert read_repo_profile(root) == RepoProfile(
        name="shop",
        root=str(root),
        primary_language="go",
        languages=("go", "javascript", "python", "rust"),
        frameworks=("react", "next", "fastapi"),
        test_frameworks=("go-test", "pytest", "jest"),
        ci_system="github-actions",
        monorepo=True,
    )


def test_an_empty_folder_has_a_name_and_nothing_else(tmp_path):
    """S0-166"""
    assert read_repo_profile(tmp_path) == RepoProfile(name=tmp_path.name, root=str(tmp_path))


def test_a_manifest_that_cannot_be_read_is_as_if_it_said_nothing(tmp_path):
    (tmp_path / "package.json").mkdir()
    (tmp_path / "commitlint.config.js").touch()
    found = read_repo_profile(tmp_path)
    assert (found.languages, found.frameworks) == (("javascript",), ())
    assert found.git_conventions == "conventional-commits"
