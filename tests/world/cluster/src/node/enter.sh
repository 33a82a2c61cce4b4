# Run inside of a namespace box: joins the box's cgroups and becomes what it is told. usage: enter.sh PROGRAM [WORD…]
for processes in /sys/fs/cgroup/*/cgroup.procs; do
  echo $$ >"$processes"
done
exec "$@"
