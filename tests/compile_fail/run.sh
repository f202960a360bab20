#!/bin/sh
# Checks that what must not compile does not, and that the first error is the one line that says what to write instead.
# A file that begins with `expect only:` has no other error after it. One that begins with `expect any:` is about a call
# inside the standard library, whose error stands first: some line of the message says it. Only words are compared, since
# g++ and nvcc show a deleted function's reason as the name of a type. `not with COMPILER` in the second line skips one
# whose messages have no place for it.
# usage: run.sh COMPILER ARGUMENTS…   (the arguments find Sinter's headers: -I…; nvcc is told what it needs itself)
here=$(dirname "$0")
flags="-std=c++20 -fsyntax-only"
case $(basename "$1") in
  nvcc*) flags="-std=c++20 -x cu --cuda -o /dev/null" ;;
esac
# Of a sweep's share (SINTER_SWEEP_SHARE) each file is compiled by another compiler, and by all of them in as many shares.
share=${SINTER_SWEEP_SHARE:-1}
case $(basename "$1") in
  nvcc*) shift_of_share=2 ;;
  clang*) shift_of_share=1 ;;
  *) shift_of_share=0 ;;
esac
shift_of_share=$((shift_of_share + ${SINTER_SWEEP_FIRST:-0}))
words() { tr -cs 'A-Za-z0-9\n' ' '; }
failures=0
count=0
number=0
for file in "$here"/*.cpp; do
  number=$((number + 1))
  if [ $(((number + shift_of_share) % share)) -ne 0 ]; then
    continue
  fi
  count=$((count + 1))
  expected=$(sed -n '1s,^// expect\( only\| any\)\{0\,1\}: ,,p' "$file" | words)
  if sed -n 2p "$file" | grep -q "^// not with $(basename "$1")"; then
    continue
  fi
  if output=$("$@" $flags "$file" 2>&1); then
    echo "$file: compiled"
    failures=$((failures + 1))
    continue
  fi
  errors=$(printf '%s\n' "$output" | grep 'error:\|error #\|: error')
  first=$(printf '%s\n' "$errors" | head -n 1)
  searched=$first
  if grep -q -m 1 '^// expect any: ' "$file"; then
    searched=$output
  fi
  case $(printf '%s\n' "$searched" | words) in
    *"$expected"*) ;;
    *)
      echo "$file: the first error is not about: $expected"
      echo "  $first"
      failures=$((failures + 1))
      continue
      ;;
  esac
  if grep -q -m 1 '^// expect only: ' "$file" && [ "$(printf '%s\n' "$errors" | wc -l)" -ne 1 ]; then
    echo "$file: an error follows the first:"
    printf '%s\n' "$errors" | sed -n '2s/^/  /p'
    failures=$((failures + 1))
  fi
done
if [ "$count" -eq 0 ] || [ "$failures" -ne 0 ]; then
  echo "$failures of $count failed"
  exit 1
fi
echo "$count do not compile, each for the reason it should"
