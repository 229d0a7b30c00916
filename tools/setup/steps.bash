# The steps of tools/setup/install, which sources this file from the checkout's root. A step does
# nothing when its result exists. A .venv or .deps that is a symbolic link belongs to another checkout
# and is used as it is. Exit codes are those of the program (tools/cli/exit_codes.h).

say() { printf 'kernelmill: %s\n' "$*" >&2; }
die() { say "$@"; exit 3; }
wrong_use() { say "$@"; exit 2; }
try_again() { say "$@"; exit 75; }

# attempt NAME COMMAND…: runs the command with its output in .cache/setup/NAME.log, and shows the end
# of the log when the command fails. The command inherits the lock of the set-up, so when only this
# script is killed, the next set-up waits for the command.
attempt() {
  local log=.cache/setup/$1.log
  shift
  if "$@" >"$log" 2>&1 </dev/null; then return; fi
  tail -n 12 -- "$log" >&2
  local advice="run the same command again when that is mended; it continues here (log: $root/$log)"
  if grep -qiE 'no space left|quota exceeded' "$log"; then
    try_again "the disk is full: $(free_mebibytes) MiB are left below $root; $advice"
  elif grep -qiE 'temporary failure|could not resolve|connection|no matching distribution' "$log"; then
    try_again "no package could be fetched: is there a network, and does pip or apt-get need a" \
      "proxy? $advice"
  fi
  die "that failed; $advice"
}

free_mebibytes() { df -Pm . | awk 'NR == 2 {print $4}'; }

# need_room MEBIBYTES: refuses to start a step that would fill the disk.
need_room() {
  [ "$(free_mebibytes)" -ge "$1" ] || try_again "only $(free_mebibytes) MiB are free below $root and this" \
    "step needs $1; free some space and run the same command again"
}

debian_list() {
  local groups=" $* " group package version
  while read -r group package version; do
    if [[ $groups == *" $group "* ]]; then echo "$package $version"; fi
  done <"$lists/debian_packages"
}

install_debian_packages() {
  local wanted installed package version found missing=()
  wanted=$(debian_list "$@")
  command -v dpkg-query >/dev/null ||
    die "this is not Debian; install equivalents of the packages in $lists/debian_packages"
  installed=$(awk '{print $1}' <<<"$wanted" | xargs dpkg-query -W \
    -f '${Package} ${db:Status-Status} ${Version}\n' 2>/dev/null || true)
  while read -r package version; do
    found=$(awk -v name="$package" '$1 == name && $2 == "installed" {print $3; exit}' <<<"$installed")
    if [ -z "$found" ]; then
      missing+=("$package")
    elif [[ ${found#*:} != "$version"* && $quiet = 0 ]]; then
      say "note: $package is $found here; kernelmill is built and tested with $version"
    fi
  done <<<"$wanted"
  if [ ${#missing[@]} -eq 0 ]; then return; fi

  local root_of=()
  if [ "$(id -u)" -ne 0 ]; then
    root_of=(sudo)
    if ! command -v sudo >/dev/null || { ! sudo -n true 2>/dev/null && [ ! -t 0 ]; }; then
      die "Debian packages are missing and $(id -un) cannot install them. Run as root:
  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    fi
    # sudo asks for the password here, where the user sees the question.
    sudo -v
  fi
  need_room 1500
  say "Debian packages: installing ${missing[*]}"
  # An installation that was cut short leaves packages unconfigured.
  attempt dpkg-configure "${root_of[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a
  attempt apt-update "${root_of[@]}" apt-get update
  attempt apt-install "${root_of[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "${missing[@]}"
}

install_python_packages() {
  if [ -L .venv ]; then return; fi
  local want
  want=$(cat "$lists/requirements.txt" <(/usr/bin/python3 --version) | sha256sum)
  if [ "$(cat .venv/stamp 2>/dev/null)" = "$want" ]; then return; fi
  need_room 3000
  say "Python packages: $(grep -cE '^[a-z]' "$lists/requirements.txt") pinned ones into .venv (torch is large)"
  # pip treats a package that was only partly unpacked as installed, so .venv starts empty.
  attempt venv /usr/bin/python3 -m venv --clear .venv
  attempt pip .venv/bin/python -m pip install --requirement "$lists/requirements.txt"
  attempt pip-check .venv/bin/python -m pip check
  echo "$want" >.venv/stamp
  # The downloads were kept for a second attempt, which is not needed any more.
  rm -rf .cache/pip
}

# The libraries in tools/setup/validators.txt, which only tests import, in an environment of their
# own. It sees the packages of .venv too.
install_validators() {
  local want folder=.cache/validators
  want=$(cat "$lists/validators.txt" "$lists/requirements.txt" <(/usr/bin/python3 --version) <(echo "$root") |
    sha256sum)
  if [ "$(cat "$folder/stamp" 2>/dev/null)" = "$want" ]; then return; fi
  need_room 500
  say "Python packages: $(grep -cE '^[a-z]' "$lists/validators.txt") pinned ones for tests into $folder"
  attempt validators-venv /usr/bin/python3 -m venv --clear "$folder"
  attempt validators-pip "$folder/bin/python" -m pip install --no-deps --require-hashes \
    --requirement "$lists/validators.txt"
  local packages
  packages=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$packages/program.pth"
  echo "$want" >"$folder/stamp"
  rm -rf .cache/pip
}

unpack_tree_sitter() {
  if [ -L .deps ]; then return; fi
  local want package hash inside folder
  want=$(sha256sum <"$lists/grammars")
  if [ "$(cat .deps/tree-sitter/stamp 2>/dev/null)" = "$want" ]; then return; fi
  need_room 300
  say "tree-sitter: the sources of $(grep -cE '^[a-z]' "$lists/grammars") hashed packages into .deps"
  rm -rf .deps/fetch .deps/tree-sitter.new
  mkdir -p .deps/fetch .deps/tree-sitter.new
  while read -r package hash inside folder; do
    if [[ -z $package || $package == '#'* ]]; then continue; fi
    local fetch=.deps/fetch/$package
    mkdir -p "$fetch/tree"
    echo "$package --hash=sha256:$hash" >"$fetch/requirements.txt"
    # pip asks the build backend of a source package for metadata. source_only/ replaces the backend,
    # so that no code of the package runs.
    attempt "$package" env PYTHONPATH="$lists/source_only" .venv/bin/python -m pip download \
      --no-deps --no-binary :all: --no-build-isolation --require-hashes \
      --requirement "$fetch/requirements.txt" --dest "$fetch"
    tar -xzf "$fetch"/*.tar.gz -C "$fetch/tree" --strip-components 1 --no-same-owner
    mkdir -p ".deps/tree-sitter.new/$(dirname "$folder")"
    cp -RT "$fetch/tree/$inside" ".deps/tree-sitter.new/$folder"
  done <"$lists/grammars"
  echo "$want" >.deps/tree-sitter.new/stamp
  rm -rf .deps/tree-sitter .deps/fetch
  mv .deps/tree-sitter.new .deps/tree-sitter
}

# build PRESET TARGET: configures once. After that, ninja finds what has changed.
build() {
  local preset=$1 target=$2 folder=build/$1 want
  want=$(cat "$root/CMakePresets.json" <(echo "$root") | sha256sum)
  if [ "$(cat "$folder/stamp" 2>/dev/null)" != "$want" ]; then
    say "configuring $folder"
    attempt configure cmake --fresh --preset "$preset"
    echo "$want" >"$folder/stamp"
  fi
  if [ ! -e "$folder/.ninja_log" ]; then
    need_room 1000
    say "building $folder (minutes the first time)"
  fi
  attempt build ninja -C "$folder" "$target"
}
