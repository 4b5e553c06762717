#!/usr/bin/env bash
# Checks the subjects of new commits: an area, a colon, and at most 60 characters in all. New are those that the remote's
# main does not have; without a remote, those after the last tag, or else the last 20.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
new=(HEAD --max-count=20)
if tag=$(git describe --tags --abbrev=0 2>/dev/null); then new=("$tag..HEAD"); fi
if [ -n "$(git rev-list --max-count=1 origin/main..HEAD 2>/dev/null)" ]; then new=(origin/main..HEAD); fi
wrong=$(git log --no-merges --format=%s "${new[@]}" | grep -vE '^[^ :][^:]*: ' || true)
long=$(git log --no-merges --format=%s "${new[@]}" | LC_ALL=C.UTF-8 grep -E '^.{61}' || true)
if [ -n "$wrong$long" ]; then
  printf 'A subject names its area ("Web: one reader of HTML") and has at most 60 characters:\n%s\n%s\n' "$wrong" "$long" >&2
  exit 1
fi
