# Becomes a program once the files are there that other services make, in whatever order all of them start.
#
# usage: after.sh [FILE…] -- PROGRAM [WORD…]
set -eu
trap 'exit 143' TERM INT
told=
while [ "$1" != -- ]; do
    if [ -s "$1" ]; then
        shift
        continue
    fi
    [ "$told" = "$1" ] || echo "waiting for $1" >&2
    told=$1
    sleep 1 &
    wait $!
done
shift
exec "$@"
