#!/usr/bin/env bash
set -euo pipefail

source "./lib.sh"
. ./other.sh

VERSION="1.0"
readonly MAX_SIZE=10
declare -r LIMIT=5
declare -a LIST=(a b)
declare -A TABLE=([a]=1)
export PATH_EXTRA="/x" OTHER=2
typeset -i COUNT=0
VERSION="2.0"
FIRST=1; SECOND=2
MULTI="a
b"

# Says hello.
# In two lines.
hello() {
  local name="$1"
  inside=1
  echo "hello $name"
  format_name "$name"
}

function with_word {
  :
}

function with_both() {
  return 0
}

with-dash() { true; }
name::spaced() { hello "x"; }
dotted.name() { :; }

subshell_body() (
  cd /tmp
  nested_in() { :; }
)

if [[ -n "$VERSION" ]]; then
  CONDITIONAL=yes
  conditional_function() {
    hello
  }
fi

for item in "${LIST[@]}"; do
  looped="$item"
done

case "$1" in
  start) start_it ;;
  *) usage ;;
esac

alias ll='ls -l' la='ls -a'
alias gs="git status"

cat <<TEXT
not_a_function() {
}
TEXT

TEMP=1 command_with_env
RESULT=$(hello x)
NUMBER=$((1 + 2))
LIST+=(c)

usage() {
  cat <<-'END'
	fake() { :; }
	END
}

start_it() {
  while read -r line; do
    process "$line"
  done < <(hello)
}

one_line() { echo 1; }; two_line() { echo 2; }
_private() { :; }
test_it() { [ "$1" = x ] && return 1; }
cleanup() { rm -f "$TMP"; }
trap cleanup EXIT
run_all() {
  hello; usage | sort
}
log() { printf '%s\n' "$*" >&2; }
die() { log "$@"; exit 1; }
main() { run_all "$@"; }
ensure() { command -v "$1" >/dev/null || die "no $1"; }
main "$@"
last_one() {
  :
}
END_MARK=1
