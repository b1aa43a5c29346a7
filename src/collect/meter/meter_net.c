/* Interfaces, sockets, and what serves the network. */
#include "collect/meter/meter_columns.h"

/* Of what the link can carry: in either direction where it is full duplex, together where not. */
static double net_utilization(const struct pipa_metric_input *m)
{
	double rx = growth(m, NET_RX_BYTES), tx = growth(m, NET_TX_BYTES),
	       speed = value(m, NET_SPEED_MBIT);
	double bytes = value(m, NET_HALF_DUPLEX) > 0 ? rx + tx : fmax(rx, tx);

	if (isnan(rx + tx))
		return NAN;
	return speed > 0 ? 100 * bytes * 8 / m->seconds / (speed * 1e6) : 0;
}

static const struct pipa_column net[] = {
	PER_SECOND("net.rx_packets", "rxpck/s", NET_RX_PACKETS),
	PER_SECOND("net.tx_packets", "txpck/s", NET_TX_PACKETS),
	RATE("net.rx", "rxkB/s", KB_PER_SECOND, NET_RX_BYTES, 1.0 / 1024),
	RATE("net.tx", "txkB/s", KB_PER_SECOND, NET_TX_BYTES, 1.0 / 1024),
	PER_SECOND("net.rx_compressed", "rxcmp/s", NET_RX_COMPRESSED),
	PER_SECOND("net.tx_compressed", "txcmp/s", NET_TX_COMPRESSED),
	PER_SECOND("net.rx_multicast", "rxmcst/s", NET_RX_MULTICAST),
	CALC("net.utilization", "%ifutil", PERCENT, 2, net_utilization),
};

static const struct pipa_column net_errors[] = {
	PER_SECOND("net.rx_errors", "rxerr/s", NET_RX_ERRORS),
	PER_SECOND("net.tx_errors", "txerr/s", NET_TX_ERRORS),
	PER_SECOND("net.collisions", "coll/s", NET_COLLISIONS),
	PER_SECOND("net.rx_drops", "rxdrop/s", NET_RX_DROPS),
	PER_SECOND("net.tx_drops", "txdrop/s", NET_TX_DROPS),
	PER_SECOND("net.tx_carrier", "txcarr/s", NET_TX_CARRIER),
	PER_SECOND("net.rx_frame", "rxfram/s", NET_RX_FRAME),
	PER_SECOND("net.rx_fifo", "rxfifo/s", NET_RX_FIFO),
	PER_SECOND("net.tx_fifo", "txfifo/s", NET_TX_FIFO),
};

static const struct pipa_column sockets[] = {
	COUNTED("sockets.used", "totsck", SOCKETS_sockets_used),
	COUNTED("sockets.tcp", "tcpsck", SOCKETS_TCP_inuse),
	COUNTED("sockets.udp", "udpsck", SOCKETS_UDP_inuse),
	COUNTED("sockets.raw", "rawsck", SOCKETS_RAW_inuse),
	COUNTED("sockets.fragments", "ip-frag", SOCKETS_FRAG_inuse),
	COUNTED("sockets.time_wait", "tcp-tw", SOCKETS_TCP_tw),
};

static const struct pipa_column sockets6[] = {
	COUNTED("sockets6.tcp", "tcp6sck", SOCKETS_TCP6_inuse),
	COUNTED("sockets6.udp", "udp6sck", SOCKETS_UDP6_inuse),
	COUNTED("sockets6.raw", "raw6sck", SOCKETS_RAW6_inuse),
	COUNTED("sockets6.fragments", "ip6-frag", SOCKETS_FRAG6_inuse),
};

static const struct pipa_column softnet[] = {
	PER_SECOND("softnet.packets", "total/s", SOFTNET_PACKETS),
	PER_SECOND("softnet.dropped", "dropd/s", SOFTNET_DROPPED),
	PER_SECOND("softnet.squeezed", "squeezd/s", SOFTNET_SQUEEZED),
	PER_SECOND("softnet.rps", "rx_rps/s", SOFTNET_RPS),
	PER_SECOND("softnet.flow_limit", "flw_lim/s", SOFTNET_FLOW_LIMIT),
	COUNTED("softnet.backlog", "blg_len", SOFTNET_BACKLOG),
};

static const struct pipa_column nfs[] = {
	PER_SECOND("nfs.calls", "call/s", NFS_CALLS),
	PER_SECOND("nfs.retransmits", "retrans/s", NFS_RETRANS),
	PER_SECOND("nfs.reads", "read/s", NFS_READ),
	PER_SECOND("nfs.writes", "write/s", NFS_WRITE),
	PER_SECOND("nfs.accesses", "access/s", NFS_ACCESS),
	PER_SECOND("nfs.getattrs", "getatt/s", NFS_GETATTR),
};

static const struct pipa_column nfsd[] = {
	PER_SECOND("nfsd.calls", "scall/s", NFS_CALLS),
	PER_SECOND("nfsd.bad_calls", "badcall/s", NFS_BAD),
	PER_SECOND("nfsd.packets", "packet/s", NFS_PACKETS),
	PER_SECOND("nfsd.udp", "udp/s", NFS_UDP),
	PER_SECOND("nfsd.tcp", "tcp/s", NFS_TCP),
	PER_SECOND("nfsd.hits", "hit/s", NFS_HITS),
	PER_SECOND("nfsd.misses", "miss/s", NFS_MISSES),
	PER_SECOND("nfsd.reads", "sread/s", NFS_READ),
	PER_SECOND("nfsd.writes", "swrite/s", NFS_WRITE),
	PER_SECOND("nfsd.accesses", "saccess/s", NFS_ACCESS),
	PER_SECOND("nfsd.getattrs", "sgetatt/s", NFS_GETATTR),
};

SECTION(net, "net", "IFACE", "network interfaces", net, NET);
SECTION(net_errors, "net-errors", "IFACE", "network errors", net_errors, NET);
SECTION(sockets, "sockets", NULL, "sockets", sockets, SOCKETS);
SECTION(sockets6, "sockets6", NULL, "IPv6 sockets", sockets6, SOCKETS6);
SECTION(softnet, "softnet", "CPU", "network soft interrupts", softnet, SOFTNET,
	.shows = cpu_is_shown);
SECTION(nfs, "nfs", NULL, "NFS client", nfs, NFS);
SECTION(nfsd, "nfsd", NULL, "NFS server", nfsd, NFSD);
