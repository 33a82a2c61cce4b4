# Makes a box of namespaces and stays beside it until it has ended, to remove what is on disk then. It stands in a process group
# of its own, so it outlives whoever started it for that moment, however that ended.
#
# usage: host.sh FOLDER
set -uo pipefail
folder=$1
unshare --mount --propagation private --pid --uts --ipc --fork --kill-child bash "$folder/box.sh" "$folder"
rm -rf "$folder"
