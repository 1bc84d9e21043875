# Made by `make gen` from pyproject.toml: change docs/pages/recipes.py instead.
# `make dist URL=https://... HOMEPAGE=https://...` writes dist/synaptic-hooks.rb with the address and the digest of a release.
class SynapticHooks < Formula
  include Language::Python::Virtualenv

  desc "Hook engine for coding agents"
  homepage "SYNAPTIC_HOMEPAGE"
  url "SYNAPTIC_SDIST_URL"
  version "0.1.0"
  sha256 "SYNAPTIC_SDIST_SHA256"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    virtualenv_create(libexec, "python3.13", without_pip: false)
    system libexec/"bin/python", "-m", "pip", "install", "--no-compile", buildpath
    bin.install_symlink libexec/"bin/synaptic"
  end

  def caveats
    <<~EOS
      Nothing is guarded yet. Set it up, and see one event go through:
        synaptic up
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/synaptic --version")
    assert_match "deny", shell_output("#{bin}/synaptic check 'rm -rf /'", 2)
  end
end
