/* Network interfaces, sockets and NFS. */
#include "model/section_columns.h"

const struct pipa_column pipa_columns_net[PIPA_COL_NET_NR] = {
	[PIPA_COL_NET_RX_PACKETS] = COLUMN("net.rx_packets", "rxpck/s", PER_SECOND, 2, RATE,
					   "packets received"),
	[PIPA_COL_NET_TX_PACKETS] = COLUMN("net.tx_packets", "txpck/s", PER_SECOND, 2, RATE,
					   "packets transmitted"),
	[PIPA_COL_NET_RX] = COLUMN("net.rx", "rxkB/s", KB_PER_SECOND, 2, RATE,
				   "kilobytes received"),
	[PIPA_COL_NET_TX] = COLUMN("net.tx", "txkB/s", KB_PER_SECOND, 2, RATE,
				   "kilobytes transmitted"),
	[PIPA_COL_NET_RX_COMPRESSED] = COLUMN("net.rx_compressed", "rxcmp/s", PER_SECOND, 2, RATE,
					      "compressed packets received"),
	[PIPA_COL_NET_TX_COMPRESSED] = COLUMN("net.tx_compressed", "txcmp/s", PER_SECOND, 2, RATE,
					      "compressed packets transmitted"),
	[PIPA_COL_NET_RX_MULTICAST] = COLUMN("net.rx_multicast", "rxmcst/s", PER_SECOND, 2, RATE,
					     "multicast packets received"),
	[PIPA_COL_NET_UTILIZATION] = COLUMN("net.utilization", "%ifutil", PERCENT, 2, SHARE,
					    "utilization of the interface's speed"),
};

const struct pipa_column pipa_columns_net_errors[PIPA_COL_NET_ERRORS_NR] = {
	[PIPA_COL_NET_ERRORS_RX_ERRORS] = COLUMN("net.rx_errors", "rxerr/s", PER_SECOND, 2, RATE,
						 "bad packets received"),
	[PIPA_COL_NET_ERRORS_TX_ERRORS] = COLUMN("net.tx_errors", "txerr/s", PER_SECOND, 2, RATE,
						 "errors while transmitting packets"),
	[PIPA_COL_NET_ERRORS_COLLISIONS] = COLUMN("net.collisions", "coll/s", PER_SECOND, 2, RATE,
						  "collisions while transmitting packets"),
	[PIPA_COL_NET_ERRORS_RX_DROPS] = COLUMN(
		"net.rx_drops", "rxdrop/s", PER_SECOND, 2, RATE,
		"received packets dropped because of a lack of buffers"),
	[PIPA_COL_NET_ERRORS_TX_DROPS] = COLUMN(
		"net.tx_drops", "txdrop/s", PER_SECOND, 2, RATE,
		"transmitted packets dropped because of a lack of buffers"),
	[PIPA_COL_NET_ERRORS_TX_CARRIER] = COLUMN("net.tx_carrier", "txcarr/s", PER_SECOND, 2, RATE,
						  "carrier errors while transmitting packets"),
	[PIPA_COL_NET_ERRORS_RX_FRAME] = COLUMN("net.rx_frame", "rxfram/s", PER_SECOND, 2, RATE,
						"frame alignment errors of received packets"),
	[PIPA_COL_NET_ERRORS_RX_FIFO] = COLUMN("net.rx_fifo", "rxfifo/s", PER_SECOND, 2, RATE,
					       "FIFO overrun errors of received packets"),
	[PIPA_COL_NET_ERRORS_TX_FIFO] = COLUMN("net.tx_fifo", "txfifo/s", PER_SECOND, 2, RATE,
					       "FIFO overrun errors of transmitted packets"),
};

const struct pipa_column pipa_columns_nfs[PIPA_COL_NFS_NR] = {
	[PIPA_COL_NFS_CALLS] = COLUMN("nfs.calls", "call/s", PER_SECOND, 2, RATE,
				      "RPC requests made"),
	[PIPA_COL_NFS_RETRANSMITS] = COLUMN("nfs.retransmits", "retrans/s", PER_SECOND, 2, RATE,
					    "RPC requests retransmitted"),
	[PIPA_COL_NFS_READS] = COLUMN("nfs.reads", "read/s", PER_SECOND, 2, RATE,
				      "read RPC calls made"),
	[PIPA_COL_NFS_WRITES] = COLUMN("nfs.writes", "write/s", PER_SECOND, 2, RATE,
				       "write RPC calls made"),
	[PIPA_COL_NFS_ACCESSES] = COLUMN("nfs.accesses", "access/s", PER_SECOND, 2, RATE,
					 "access RPC calls made"),
	[PIPA_COL_NFS_GETATTRS] = COLUMN("nfs.getattrs", "getatt/s", PER_SECOND, 2, RATE,
					 "getattr RPC calls made"),
};

const struct pipa_column pipa_columns_nfsd[PIPA_COL_NFSD_NR] = {
	[PIPA_COL_NFSD_CALLS] = COLUMN("nfsd.calls", "scall/s", PER_SECOND, 2, RATE,
				       "RPC requests received"),
	[PIPA_COL_NFSD_BAD_CALLS] = COLUMN("nfsd.bad_calls", "badcall/s", PER_SECOND, 2, RATE,
					   "bad RPC requests received"),
	[PIPA_COL_NFSD_PACKETS] = COLUMN("nfsd.packets", "packet/s", PER_SECOND, 2, RATE,
					 "network packets received"),
	[PIPA_COL_NFSD_UDP] = COLUMN("nfsd.udp", "udp/s", PER_SECOND, 2, RATE,
				     "UDP packets received"),
	[PIPA_COL_NFSD_TCP] = COLUMN("nfsd.tcp", "tcp/s", PER_SECOND, 2, RATE,
				     "TCP packets received"),
	[PIPA_COL_NFSD_HITS] = COLUMN("nfsd.hits", "hit/s", PER_SECOND, 2, RATE,
				      "reply cache hits"),
	[PIPA_COL_NFSD_MISSES] = COLUMN("nfsd.misses", "miss/s", PER_SECOND, 2, RATE,
					"reply cache misses"),
	[PIPA_COL_NFSD_READS] = COLUMN("nfsd.reads", "sread/s", PER_SECOND, 2, RATE,
				       "read RPC calls received"),
	[PIPA_COL_NFSD_WRITES] = COLUMN("nfsd.writes", "swrite/s", PER_SECOND, 2, RATE,
					"write RPC calls received"),
	[PIPA_COL_NFSD_ACCESSES] = COLUMN("nfsd.accesses", "saccess/s", PER_SECOND, 2, RATE,
					  "access RPC calls received"),
	[PIPA_COL_NFSD_GETATTRS] = COLUMN("nfsd.getattrs", "sgetatt/s", PER_SECOND, 2, RATE,
					  "getattr RPC calls received"),
};

const struct pipa_column pipa_columns_sockets[PIPA_COL_SOCKETS_NR] = {
	[PIPA_COL_SOCKETS_USED] = COLUMN("sockets.used", "totsck", NONE, 0, GAUGE,
					 "sockets in use"),
	[PIPA_COL_SOCKETS_TCP] = COLUMN("sockets.tcp", "tcpsck", NONE, 0, GAUGE,
					"TCP sockets in use"),
	[PIPA_COL_SOCKETS_UDP] = COLUMN("sockets.udp", "udpsck", NONE, 0, GAUGE,
					"UDP sockets in use"),
	[PIPA_COL_SOCKETS_RAW] = COLUMN("sockets.raw", "rawsck", NONE, 0, GAUGE,
					"raw sockets in use"),
	[PIPA_COL_SOCKETS_FRAGMENTS] = COLUMN("sockets.fragments", "ip-frag", NONE, 0, GAUGE,
					      "IP fragments in the reassembly queues"),
	[PIPA_COL_SOCKETS_TIME_WAIT] = COLUMN("sockets.time_wait", "tcp-tw", NONE, 0, GAUGE,
					      "TCP sockets in state TIME_WAIT"),
};

const struct pipa_column pipa_columns_sockets6[PIPA_COL_SOCKETS6_NR] = {
	[PIPA_COL_SOCKETS6_TCP] = COLUMN("sockets6.tcp", "tcp6sck", NONE, 0, GAUGE,
					 "TCPv6 sockets in use"),
	[PIPA_COL_SOCKETS6_UDP] = COLUMN("sockets6.udp", "udp6sck", NONE, 0, GAUGE,
					 "UDPv6 sockets in use"),
	[PIPA_COL_SOCKETS6_RAW] = COLUMN("sockets6.raw", "raw6sck", NONE, 0, GAUGE,
					 "raw IPv6 sockets in use"),
	[PIPA_COL_SOCKETS6_FRAGMENTS] = COLUMN("sockets6.fragments", "ip6-frag", NONE, 0, GAUGE,
					       "IPv6 fragments in the reassembly queues"),
};

const struct pipa_column pipa_columns_softnet[PIPA_COL_SOFTNET_NR] = {
	[PIPA_COL_SOFTNET_PACKETS] = COLUMN("softnet.packets", "total/s", PER_SECOND, 2, RATE,
					    "network frames processed"),
	[PIPA_COL_SOFTNET_DROPPED] = COLUMN("softnet.dropped", "dropd/s", PER_SECOND, 2, RATE,
					    "frames dropped because the backlog queue was full"),
	[PIPA_COL_SOFTNET_SQUEEZED] = COLUMN(
		"softnet.squeezed", "squeezd/s", PER_SECOND, 2, RATE,
		"runs of the receive softirq that ended with frames left: budget or time used up"),
	[PIPA_COL_SOFTNET_RPS] = COLUMN(
		"softnet.rps", "rx_rps/s", PER_SECOND, 2, RATE,
		"wakeups by an inter-processor interrupt to process packets"),
	[PIPA_COL_SOFTNET_FLOW_LIMIT] = COLUMN("softnet.flow_limit", "flw_lim/s", PER_SECOND, 2,
					       RATE, "times that the flow limit was reached"),
	[PIPA_COL_SOFTNET_BACKLOG] = COLUMN("softnet.backlog", "blg_len", NONE, 0, GAUGE,
					    "length of the backlog queue"),
};
