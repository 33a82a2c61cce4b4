#!/bin/sh
# What the entrypoint of the image postgres does with POSTGRES_USER and POSTGRES_HOST_AUTH_METHOD at the first start.
set -eu
data=/var/lib/postgresql/data
bin=$(dirname /usr/lib/postgresql/*/bin/postgres)
if [ ! -s "$data/PG_VERSION" ]; then
    "$bin/initdb" --pgdata="$data" --username="$POSTGRES_USER" --auth="$POSTGRES_HOST_AUTH_METHOD" --encoding=UTF8 \
        --locale=C.UTF-8 --no-sync >/dev/null
    echo "CREATE DATABASE \"$POSTGRES_USER\"" | "$bin/postgres" --single -D "$data" -j postgres >/dev/null
fi
shift
exec "$bin/postgres" -D "$data" "$@"
