# Makes a namespace box and stays beside it until it has ended, to remove what the kernel then leaves.
#
# usage: host.sh FOLDER LOCKS BOX
# Prints `number N` and passes on what the box prints and is told. Stands in a process group of its own, so it outlives whoever
# started it for that moment, however that ended. The network N is claimed by a lock which the box holds too.
set -euo pipefail
folder=$1 locks=$2 box=$3

# The folders of the cgroup v1 hierarchies.
hierarchies() {
  local controllers
  while IFS=: read -r _ controllers _; do
    [ -z "$controllers" ] || echo "/sys/fs/cgroup/${controllers#name=}"
  done </proc/self/cgroup
}

# Whatever killed an earlier box of this number may have killed its host.sh too.
remove_leftovers() {
  ip link delete "causeway$number" 2>/dev/null || true
  local hierarchy cgroup left=0
  for hierarchy in $(hierarchies); do
    cgroup=$hierarchy/causeway-node-$number
    for _ in {1..250}; do
      # A process that was killed leaves its cgroup a moment later.
      find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ -d "$cgroup" ] || break
      sleep 0.02
    done
    if [ -d "$cgroup" ]; then
      echo "cannot remove $cgroup" >&2
      left=1
    fi
  done
  return $left
}

# Whether somebody else has one of the three networks of the number.
is_taken() {
  local network
  for network in 243 244; do
    if ip -4 route show "10.$network.$number.0/24" | grep -q .; then return 0; fi
  done
  ip -4 route show "10.96.$number.0/24" | grep -q .
}

mkdir -p "$locks"
for number in {1..250} none; do
  [ "$number" != none ] || break
  exec {lock}>"$locks/node-$number.lock"
  if flock --nonblock "$lock" && remove_leftovers && ! is_taken; then break; fi
  exec {lock}>&-
done
if [ "$number" = none ]; then
  echo "all 250 networks for nodes are in use: stop one of them, see 'ip route'" >&2
  exit 1
fi
echo "number $number"

for hierarchy in $(hierarchies); do
  cgroup=$hierarchy/causeway-node-$number
  mkdir "$cgroup"
  if [ -e "$cgroup/cpuset.cpus" ]; then
    # An empty set takes no process.
    cat "$hierarchy/cpuset.cpus" >"$cgroup/cpuset.cpus"
    cat "$hierarchy/cpuset.mems" >"$cgroup/cpuset.mems"
    echo 1 >"$cgroup/cgroup.clone_children"
  fi
done
(
  for hierarchy in $(hierarchies); do
    echo "$BASHPID" >"$hierarchy/causeway-node-$number/cgroup.procs"
  done
  exec unshare --mount --propagation private --net --pid --uts --ipc --cgroup --fork --kill-child \
    bash "$box" "$folder" "$number"
) || true
rm -rf "$folder/var"
remove_leftovers
