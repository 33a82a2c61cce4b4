# Run inside of a namespace box once its eth0 is there. usage: network.sh NUMBER
set -euo pipefail
number=$1
ip -batch - <<END
link set lo up
address add 10.243.$number.2/24 dev eth0
link set eth0 up
route add default via 10.243.$number.1
END
echo 1 >/proc/sys/net/ipv4/ip_forward
# Else a pod that calls a Service and is the one to answer gets no answer.
if [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]; then
  echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables
fi
