# shellcheck shell=bash disable=SC2154
# The slow part of ./imove, which sources it: finds a Python, makes the environment, builds the workspace.
# It uses that script's variables and functions.

# Says in one sentence what $1 lacks to build an environment; prints nothing when it has everything.
python_lacks() {
    "$1" - 2>/dev/null <<'END' || printf 'does not run'
import os, sys
version = "%d.%d" % sys.version_info[:2]
if version not in ("3.11", "3.12", "3.13"):
    sys.stdout.write("is Python %s, and imove needs 3.11, 3.12 or 3.13" % version)
    sys.exit()
import importlib.util, sysconfig
if not importlib.util.find_spec("ensurepip"):
    sys.stdout.write("lacks the venv module: install python%s-venv" % version)
elif not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
    sys.stdout.write("lacks its C headers: install python%s-dev" % version)
END
}

# Prints the Python to build with, or the reason why there is none and fails.
find_python() {
    local candidate lacks reasons=
    if [[ -n $ros_python || -n ${IMOVE_PYTHON:-} ]]; then
        candidate=${ros_python:-$IMOVE_PYTHON}
        lacks=$(python_lacks "$candidate")
        [[ -z $lacks ]] || { printf '%s %s.' "$candidate" "$lacks"; return 1; }
        printf '%s' "$candidate"
        return
    fi
    while IFS= read -r candidate; do
        lacks=$(python_lacks "$candidate")
        [[ -n $lacks ]] || { printf '%s' "$candidate"; return; }
        [[ $lacks == 'does not run' ]] || reasons+="; $candidate $lacks"
    done < <(type -aP ${python_version:+"python$python_version"} python3.11 python3.12 python3.13 python3 2>/dev/null)
    printf 'no usable Python found: install Python 3.11, 3.12 or 3.13 with its venv module and C headers%s%s.' \
        ' (Debian, Ubuntu: python3-venv python3-dev), or name one in IMOVE_PYTHON' "$reasons"
    return 1
}

# Decides whether the sourced ROS 2 can be used, and remembers it for this AMENT_PREFIX_PATH.
judge_sourced_ros() {
    local entry lacks
    ros_prefix='' ros_python=''
    while IFS= read -r -d : entry; do
        if [[ -f $entry/share/ament_index/resource_index/packages/rclpy ]]; then ros_prefix=$entry; fi
    done <<<"$AMENT_PREFIX_PATH:"
    if [[ -n $ros_prefix ]]; then
        for entry in $(type -aP python3); do
            "$entry" -c 'import rclpy' 2>/dev/null && { ros_python=$entry; break; }
        done
        case ${ROS_DISTRO:-unknown} in
            foxy | galactic | humble | iron) lacks="is older than Jazzy" ;;
            *) if [[ -n $ros_python ]]; then lacks=$(python_lacks "$ros_python"); else lacks="cannot be imported by python3"; fi ;;
        esac
        [[ -z $lacks ]] || {
            say "the sourced ROS 2 (${ROS_DISTRO:-unknown}, $ros_prefix) is not used: it ${lacks#is Python }"
            ros_prefix='' ros_python=''
        }
    fi
    mkdir -p "$state"
    printf '%s\n' "$AMENT_PREFIX_PATH" "$ros_prefix" "$ros_python" >"$state/sourced.$$"
    mv "$state/sourced.$$" "$state/sourced"
}

# step LABEL COMMAND ...: runs it quietly, with the seconds on the line; on failure the end of what it printed.
step() {
    local label="[$((++step_number))/$step_count] $1" log=$state/setup.log start=$SECONDS status ticker=
    shift
    printf 'imove: %s ...' "$label" >&2
    if [[ -t 2 ]]; then
        while sleep 1 && kill -0 $$ 2>/dev/null; do
            printf '\rimove: %s ... %d s' "$label" $((SECONDS - start)) >&2
        done 9>&- &
        ticker=$!
    fi
    set +e
    (set -e; "$@") >"$log" 2>&1
    status=$?
    set -e
    [[ -z $ticker ]] || { kill "$ticker" && wait "$ticker"; } 2>/dev/null || true
    [[ -n $ticker ]] && printf '\rimove: %s ...' "$label" >&2
    printf ' %d s\n' $((SECONDS - start)) >&2
    if ((status)); then
        tail -n 30 "$log" >&2
        die "this step failed; the whole output is in ${log#"$root"/}."
    fi
}

make_environment() {
    local options=()
    [[ $mode == wheels ]] || options=(--system-site-packages)
    rm -rf "$venv"
    "$1" -m venv "${options[@]}" "$venv"
}

pip_install() { PIP_CACHE_DIR=$state/pip-cache "$venv/bin/python" -m pip install --disable-pip-version-check "$@"; }

install_packages() {
    pip_install -r "$state/packages.txt"
    pip_install --no-deps -r "$root/requirements/shapes.txt"
    if [[ $mode == wheels ]]; then correct_baked_paths; fi
}

# The exported CMake targets of the ROS 2 wheels carry the folders of the machine that built them.
correct_baked_paths() {
    local baked='/[^";$]*/cp[0-9]+-cp[0-9]+' python=python$python_version include
    include=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
    { grep -rlZE "$baked" "$venv/share" --include='*.cmake' || true; } | xargs -0 -r sed -i -E \
        "s#$baked/include/$python#$include#g; s#$baked/lib/$python/site-packages#$venv/lib/$python/site-packages#g"
}

# Whether the sourced ROS 2 has package $1.
sourced_has() {
    local prefix
    [[ $mode == sourced ]] || return 1
    while IFS= read -r -d : prefix; do
        [[ ! -f $prefix/share/ament_index/resource_index/packages/$1 ]] || return 0
    done <<<"$AMENT_PREFIX_PATH:"
    return 1
}

# Prints the packages of compat/: with "needed" those that the environment lacks, with "needless" those that it has.
compat_packages() {
    local manifest package which
    for manifest in compat/*/package.xml; do
        [[ -f $manifest ]] || continue
        package=${manifest#compat/}
        package=${package%/package.xml}
        if sourced_has "$package"; then which=needless; else which=needed; fi
        [[ $which != "$1" ]] || printf '%s\n' "$package"
    done
}

# What was built in another environment has to be built again.
forget_foreign_build() {
    if [[ -f $state/built && $(head -n 1 "$state/built") != "$(head -n 1 "$state/wanted")" ]]; then
        rm "$state/built"
    fi
}

# Prints the packages whose build inputs differ from those of the last build, or whose build did not end;
# all of them where nothing has been built.
stale_packages() {
    {
        if [[ -f $state/built ]]; then
            { diff "$state/built" "$state/wanted" || true; } | sed -nE 's#^[<>] .* (src|compat)/([^/]+)/.*#\2#p'
        else
            find src compat -mindepth 2 -maxdepth 2 -name package.xml -printf '%h\n' | sed 's#.*/##'
        fi
        if [[ -f $state/building ]]; then cat "$state/building"; fi
    } | LC_ALL=C sort -u | { grep -vxF -f <(compat_packages needless) || true; }
}

# Removes what was built of the given packages when it may be half-written or of another environment.
remove_builds() {
    local package
    for package in "$@"; do rm -rf "build/$package" "install/$package"; done
}

colcon_build() {
    local sources=(src) package
    # Links to files that are gone would still match the globs of a setup.py.
    find build install -xtype l -delete 2>/dev/null || true
    while IFS= read -r package; do sources+=("compat/$package"); done < <(compat_packages needed)
    if [[ $mode == wheels ]]; then export AMENT_PREFIX_PATH=$venv CMAKE_PREFIX_PATH=$venv; fi
    PATH=$venv/bin:$PATH "$venv/bin/python" -m colcon build --symlink-install --base-paths "${sources[@]}" --packages-select "$@" \
        --event-handlers console_direct- --cmake-args "-DPython3_EXECUTABLE=$venv/bin/python"
}

# Records the variables that install/local_setup.bash would set, so that a call need not run it.
write_environment() {
    local name value added out=$state/env-$mode.sh
    env -i PATH=/usr/bin:/bin "$BASH" --noprofile --norc -c '. install/local_setup.bash && env' >"$state/env.raw"
    {
        for name in AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH LD_LIBRARY_PATH PATH PYTHONPATH; do
            value=$(sed -n "s/^$name=//p" "$state/env.raw")
            added=${value%/usr/bin:/bin}
            added=${added%:}
            case $name-$mode in
                PATH-*) added=$venv/bin${added:+:$added} ;;
                LD_LIBRARY_PATH-wheels) added+=:$venv/lib$(printf ':%s' "$venv/lib/python$python_version/site-packages"/ros_*.libs) ;;
                AMENT_PREFIX_PATH-wheels | CMAKE_PREFIX_PATH-wheels) added+=:$venv ;;
            esac
            # shellcheck disable=SC2016
            [[ -z $added ]] || printf 'export %s=%q${%s:+:$%s}\n' "$name" "$added" "$name" "$name"
        done
        # The library path above is what the wheels would otherwise set by starting every Python twice.
        [[ $mode != wheels ]] || printf 'export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1\n'
    } >"$out.new"
    mv "$out.new" "$out"
}

# Makes what is missing or stale. One call at a time: others wait, then find it done.
set_up() {
    local step_number=0 step_count=1
    mkdir -p "$state"
    exec 9>"$state/lock"
    flock -n 9 || { say "waiting for another set-up of this folder to end" && flock 9; }
    if ready; then return; fi
    trap 'say "interrupted; the next call takes it up again."; exit 130' INT
    cd "$root"
    require_compilers
    if ! environment_ready; then
        step_count=3
        set_up_environment
    fi
    set_up_build
}

require_compilers() {
    local tool missing=
    for tool in gcc g++ cmake make; do
        command -v "$tool" >/dev/null || missing+=${missing:+, }$tool
    done
    [[ -z $missing ]] || die "$missing not found: building the messages needs a C++ compiler, cmake and make" \
        "(Debian, Ubuntu: build-essential cmake)."
}

# The stamp is written last: an environment without it is made again from scratch.
set_up_environment() {
    local python part=''
    python=$(find_python) || die "$python"
    python_version=$(minor_version "$python")
    # shellcheck disable=SC2016
    [[ $mode == wheels ]] || part='/^# --- ROS 2 from wheels/,$d'
    sed "$part" "requirements/lock-py${python_version/./}.txt" >"$state/packages.txt"
    rm -f "$venv/imove.stamp"
    step "making the Python $python_version environment" make_environment "$python"
    step "installing $(grep -c == "$state/packages.txt") packages" install_packages
    environment_key >"$state/stamp"
    mv "$state/stamp" "$venv/imove.stamp"
    rm -rf "$state/pip-cache" # served to make a second try after an interruption quick
}

# The list in building is removed last: what it names is built again from scratch.
set_up_build() {
    local package what stale=() packages=()
    build_key >"$state/wanted"
    forget_foreign_build
    mapfile -t stale < <(stale_packages)
    for package in "${stale[@]}"; do
        # The message generators leave the code of a removed message behind.
        if [[ -f src/$package/CMakeLists.txt || ! -d src/$package ]]; then remove_builds "$package"; fi
        if [[ -d src/$package || -d compat/$package ]]; then packages+=("$package"); fi
    done
    if [[ -f $state/building || ! -f $state/built ]]; then remove_builds "${packages[@]}"; fi
    if ((${#packages[@]})); then
        printf '%s\n' "${packages[@]}" >"$state/building"
        what=${packages[*]}
        ((${#packages[@]} <= 3)) || what="${#packages[@]} packages"
        step "building $what" colcon_build "${packages[@]}"
    fi
    write_environment
    mv "$state/wanted" "$state/built"
    rm -f "$state/building"
}

# PyTorch lives apart: it is large, and nothing that runs beside a robot may come to need it.
make_training_environment() {
    local training=$root/.venv-train
    rm -rf "$training"
    "$venv/bin/python" -m venv "$training"
    printf '%s\n' "$venv/lib/python$python_version/site-packages" \
        >"$training/lib/python$python_version/site-packages/imove.pth"
    PIP_CACHE_DIR=$state/pip-cache "$training/bin/python" -m pip install --disable-pip-version-check \
        -r requirements/train.in -c "requirements/lock-py${python_version/./}.txt"
}

# Installs requirements/NAME.in for every --NAME; extras must not move a version that the lock names.
add_extras() {
    local step_number=0 step_count=$# extra
    cd "$root"
    for extra in "${@#--}"; do
        if [[ $extra == train ]]; then
            step "making .venv-train, to train in" make_training_environment
            continue
        fi
        step "installing the extra $extra" pip_install -r "requirements/$extra.in" \
            -c "requirements/lock-py${python_version/./}.txt"
    done
    rm -rf "$state/pip-cache"
}
