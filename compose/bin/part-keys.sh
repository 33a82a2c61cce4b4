# Gives each part of the platform a key of its own, so that none of them holds the key that makes those of the others. A key holds
# for 24 hours; it is made anew after six, and when the key that makes them has changed.
set -eu
trap 'exit 143' TERM INT
issuer=/var/lib/causeway/platform/keys/parts.pem
due() { [ ! -s "$1" ] || [ "$issuer" -nt "$1" ] || [ -n "$(find "$1" -mmin +360)" ]; }
while :; do
    for part in inventory tunnel-server request-router; do
        key=/var/lib/causeway/$part-key/key.pem
        if [ -s "$issuer" ] && due "$key"; then
            causeway key issue --part "$part" --issuer-key "$issuer" --out "$key" || echo "trying again" >&2
        fi
    done
    sleep 2 &
    wait $!
done
