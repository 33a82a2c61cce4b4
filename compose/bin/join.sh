# Lets the runtime join the platform, once: asks for a token as the admin, and makes the runtime's keys. What is not there yet is
# waited for.
set -eu
trap 'exit 143' TERM INT
umask 077
token=/tmp/token
# A runtime of this name whose folder was lost joins again.
ask() { causeway runtime token local >$token || causeway runtime token local --rejoin >$token; }
until [ -s "$CAUSEWAY_RUNTIME_FOLDER/runtime.json" ]; do
    ask && causeway join --join-token-file $token && break
    sleep 2 &
    wait $!
done
