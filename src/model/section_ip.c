/* Protocols of the Internet, as in /proc/net/snmp and /proc/net/snmp6. */
#include "model/section_columns.h"

const struct pipa_column pipa_columns_ip[PIPA_COL_IP_NR] = {
	[PIPA_COL_IP_RECEIVED] = COLUMN(
		"ip.received", "irec/s", PER_SECOND, 2, RATE,
		"InReceives: input datagrams received from interfaces, including those in error"),
	[PIPA_COL_IP_FORWARDED] = COLUMN(
		"ip.forwarded", "fwddgm/s", PER_SECOND, 2, RATE,
		"ForwDatagrams: input datagrams forwarded to their next hop"),
	[PIPA_COL_IP_DELIVERED] = COLUMN(
		"ip.delivered", "idel/s", PER_SECOND, 2, RATE,
		"InDelivers: input datagrams delivered to IP user protocols"),
	[PIPA_COL_IP_REQUESTS] = COLUMN("ip.requests", "orq/s", PER_SECOND, 2, RATE,
					"OutRequests: datagrams that local IP user protocols sent"),
	[PIPA_COL_IP_REASSEMBLY] = COLUMN("ip.reassembly", "asmrq/s", PER_SECOND, 2, RATE,
					  "ReasmReqds: fragments received that needed reassembly"),
	[PIPA_COL_IP_REASSEMBLED] = COLUMN("ip.reassembled", "asmok/s", PER_SECOND, 2, RATE,
					   "ReasmOKs: datagrams reassembled"),
	[PIPA_COL_IP_FRAGMENTED] = COLUMN("ip.fragmented", "fragok/s", PER_SECOND, 2, RATE,
					  "FragOKs: datagrams fragmented"),
	[PIPA_COL_IP_FRAGMENTS] = COLUMN("ip.fragments", "fragcrt/s", PER_SECOND, 2, RATE,
					 "FragCreates: fragments generated"),
};

const struct pipa_column pipa_columns_ip_errors[PIPA_COL_IP_ERRORS_NR] = {
	[PIPA_COL_IP_ERRORS_HEADER_ERRORS] = COLUMN(
		"ip.header_errors", "ihdrerr/s", PER_SECOND, 2, RATE,
		"InHdrErrors: input datagrams discarded because of errors in their headers"),
	[PIPA_COL_IP_ERRORS_ADDRESS_ERRORS] = COLUMN(
		"ip.address_errors", "iadrerr/s", PER_SECOND, 2, RATE,
		"InAddrErrors: datagrams discarded because of an invalid destination address"),
	[PIPA_COL_IP_ERRORS_UNKNOWN_PROTOCOLS] = COLUMN(
		"ip.unknown_protocols", "iukwnpr/s", PER_SECOND, 2, RATE,
		"InUnknownProtos: datagrams discarded because of an unknown protocol"),
	[PIPA_COL_IP_ERRORS_IN_DISCARDS] = COLUMN(
		"ip.in_discards", "idisc/s", PER_SECOND, 2, RATE,
		"InDiscards: input datagrams discarded without an error in them"),
	[PIPA_COL_IP_ERRORS_OUT_DISCARDS] = COLUMN(
		"ip.out_discards", "odisc/s", PER_SECOND, 2, RATE,
		"OutDiscards: output datagrams discarded without an error in them"),
	[PIPA_COL_IP_ERRORS_NO_ROUTES] = COLUMN(
		"ip.no_routes", "onort/s", PER_SECOND, 2, RATE,
		"OutNoRoutes: datagrams discarded because no route was found"),
	[PIPA_COL_IP_ERRORS_REASSEMBLY_FAILURES] = COLUMN(
		"ip.reassembly_failures", "asmf/s", PER_SECOND, 2, RATE,
		"ReasmFails: failures of the reassembly algorithm"),
	[PIPA_COL_IP_ERRORS_FRAGMENT_FAILURES] = COLUMN(
		"ip.fragment_failures", "fragf/s", PER_SECOND, 2, RATE,
		"FragFails: datagrams discarded because they could not be fragmented"),
};

const struct pipa_column pipa_columns_icmp[PIPA_COL_ICMP_NR] = {
	[PIPA_COL_ICMP_IN] = COLUMN("icmp.in", "imsg/s", PER_SECOND, 2, RATE,
				    "InMsgs: messages received, including those in error"),
	[PIPA_COL_ICMP_OUT] = COLUMN("icmp.out", "omsg/s", PER_SECOND, 2, RATE,
				     "OutMsgs: messages that were attempted to send"),
	[PIPA_COL_ICMP_IN_ECHOS] = COLUMN("icmp.in_echos", "iech/s", PER_SECOND, 2, RATE,
					  "InEchos: Echo requests received"),
	[PIPA_COL_ICMP_IN_ECHO_REPLIES] = COLUMN("icmp.in_echo_replies", "iechr/s", PER_SECOND, 2,
						 RATE, "InEchoReps: Echo Reply messages received"),
	[PIPA_COL_ICMP_OUT_ECHOS] = COLUMN("icmp.out_echos", "oech/s", PER_SECOND, 2, RATE,
					   "OutEchos: Echo requests sent"),
	[PIPA_COL_ICMP_OUT_ECHO_REPLIES] = COLUMN("icmp.out_echo_replies", "oechr/s", PER_SECOND, 2,
						  RATE, "OutEchoReps: Echo Reply messages sent"),
	[PIPA_COL_ICMP_IN_TIMESTAMPS] = COLUMN("icmp.in_timestamps", "itm/s", PER_SECOND, 2, RATE,
					       "InTimestamps: Timestamp requests received"),
	[PIPA_COL_ICMP_IN_TIMESTAMP_REPLIES] = COLUMN(
		"icmp.in_timestamp_replies", "itmr/s", PER_SECOND, 2, RATE,
		"InTimestampReps: Timestamp Reply messages received"),
	[PIPA_COL_ICMP_OUT_TIMESTAMPS] = COLUMN("icmp.out_timestamps", "otm/s", PER_SECOND, 2, RATE,
						"OutTimestamps: Timestamp requests sent"),
	[PIPA_COL_ICMP_OUT_TIMESTAMP_REPLIES] = COLUMN(
		"icmp.out_timestamp_replies", "otmr/s", PER_SECOND, 2, RATE,
		"OutTimestampReps: Timestamp Reply messages sent"),
	[PIPA_COL_ICMP_IN_MASKS] = COLUMN("icmp.in_masks", "iadrmk/s", PER_SECOND, 2, RATE,
					  "InAddrMasks: Address Mask requests received"),
	[PIPA_COL_ICMP_IN_MASK_REPLIES] = COLUMN(
		"icmp.in_mask_replies", "iadrmkr/s", PER_SECOND, 2, RATE,
		"InAddrMaskReps: Address Mask Reply messages received"),
	[PIPA_COL_ICMP_OUT_MASKS] = COLUMN("icmp.out_masks", "oadrmk/s", PER_SECOND, 2, RATE,
					   "OutAddrMasks: Address Mask requests sent"),
	[PIPA_COL_ICMP_OUT_MASK_REPLIES] = COLUMN(
		"icmp.out_mask_replies", "oadrmkr/s", PER_SECOND, 2, RATE,
		"OutAddrMaskReps: Address Mask Reply messages sent"),
};

const struct pipa_column pipa_columns_icmp_errors[PIPA_COL_ICMP_ERRORS_NR] = {
	[PIPA_COL_ICMP_ERRORS_IN_ERRORS] = COLUMN(
		"icmp.in_errors", "ierr/s", PER_SECOND, 2, RATE,
		"InErrors: messages received with ICMP-specific errors"),
	[PIPA_COL_ICMP_ERRORS_OUT_ERRORS] = COLUMN(
		"icmp.out_errors", "oerr/s", PER_SECOND, 2, RATE,
		"OutErrors: messages not sent because of problems within ICMP"),
	[PIPA_COL_ICMP_ERRORS_IN_UNREACHABLE] = COLUMN(
		"icmp.in_unreachable", "idstunr/s", PER_SECOND, 2, RATE,
		"InDestUnreachs: Destination Unreachable messages received"),
	[PIPA_COL_ICMP_ERRORS_OUT_UNREACHABLE] = COLUMN(
		"icmp.out_unreachable", "odstunr/s", PER_SECOND, 2, RATE,
		"OutDestUnreachs: Destination Unreachable messages sent"),
	[PIPA_COL_ICMP_ERRORS_IN_TIME_EXCEEDED] = COLUMN(
		"icmp.in_time_exceeded", "itmex/s", PER_SECOND, 2, RATE,
		"InTimeExcds: Time Exceeded messages received"),
	[PIPA_COL_ICMP_ERRORS_OUT_TIME_EXCEEDED] = COLUMN(
		"icmp.out_time_exceeded", "otmex/s", PER_SECOND, 2, RATE,
		"OutTimeExcds: Time Exceeded messages sent"),
	[PIPA_COL_ICMP_ERRORS_IN_PARAMETER_PROBLEMS] = COLUMN(
		"icmp.in_parameter_problems", "iparmpb/s", PER_SECOND, 2, RATE,
		"InParmProbs: Parameter Problem messages received"),
	[PIPA_COL_ICMP_ERRORS_OUT_PARAMETER_PROBLEMS] = COLUMN(
		"icmp.out_parameter_problems", "oparmpb/s", PER_SECOND, 2, RATE,
		"OutParmProbs: Parameter Problem messages sent"),
	[PIPA_COL_ICMP_ERRORS_IN_QUENCHES] = COLUMN(
		"icmp.in_quenches", "isrcq/s", PER_SECOND, 2, RATE,
		"InSrcQuenchs: Source Quench messages received"),
	[PIPA_COL_ICMP_ERRORS_OUT_QUENCHES] = COLUMN("icmp.out_quenches", "osrcq/s", PER_SECOND, 2,
						     RATE,
						     "OutSrcQuenchs: Source Quench messages sent"),
	[PIPA_COL_ICMP_ERRORS_IN_REDIRECTS] = COLUMN("icmp.in_redirects", "iredir/s", PER_SECOND, 2,
						     RATE,
						     "InRedirects: Redirect messages received"),
	[PIPA_COL_ICMP_ERRORS_OUT_REDIRECTS] = COLUMN("icmp.out_redirects", "oredir/s", PER_SECOND,
						      2, RATE,
						      "OutRedirects: Redirect messages sent"),
};

const struct pipa_column pipa_columns_tcp[PIPA_COL_TCP_NR] = {
	[PIPA_COL_TCP_ACTIVE] = COLUMN("tcp.active", "active/s", PER_SECOND, 2, RATE,
				       "ActiveOpens: transitions from CLOSED to SYN-SENT"),
	[PIPA_COL_TCP_PASSIVE] = COLUMN("tcp.passive", "passive/s", PER_SECOND, 2, RATE,
					"PassiveOpens: transitions from LISTEN to SYN-RCVD"),
	[PIPA_COL_TCP_IN] = COLUMN("tcp.in", "iseg/s", PER_SECOND, 2, RATE,
				   "InSegs: segments received, including those in error"),
	[PIPA_COL_TCP_OUT] = COLUMN(
		"tcp.out", "oseg/s", PER_SECOND, 2, RATE,
		"OutSegs: segments sent, without those that were only retransmitted"),
};

const struct pipa_column pipa_columns_tcp_errors[PIPA_COL_TCP_ERRORS_NR] = {
	[PIPA_COL_TCP_ERRORS_FAILED] = COLUMN("tcp.failed", "atmptf/s", PER_SECOND, 2, RATE,
					      "AttemptFails: failed connection attempts"),
	[PIPA_COL_TCP_ERRORS_RESETS] = COLUMN(
		"tcp.resets", "estres/s", PER_SECOND, 2, RATE,
		"EstabResets: transitions from ESTABLISHED or CLOSE-WAIT to CLOSED"),
	[PIPA_COL_TCP_ERRORS_RETRANSMITS] = COLUMN("tcp.retransmits", "retrans/s", PER_SECOND, 2,
						   RATE, "RetransSegs: segments retransmitted"),
	[PIPA_COL_TCP_ERRORS_IN_ERRORS] = COLUMN(
		"tcp.in_errors", "isegerr/s", PER_SECOND, 2, RATE,
		"InErrs: segments received in error, such as bad checksums"),
	[PIPA_COL_TCP_ERRORS_OUT_RESETS] = COLUMN("tcp.out_resets", "orsts/s", PER_SECOND, 2, RATE,
						  "OutRsts: segments sent with the RST flag"),
};

const struct pipa_column pipa_columns_udp[PIPA_COL_UDP_NR] = {
	[PIPA_COL_UDP_IN] = COLUMN("udp.in", "idgm/s", PER_SECOND, 2, RATE,
				   "InDatagrams: datagrams delivered to UDP users"),
	[PIPA_COL_UDP_OUT] = COLUMN("udp.out", "odgm/s", PER_SECOND, 2, RATE,
				    "OutDatagrams: datagrams sent"),
	[PIPA_COL_UDP_NO_PORTS] = COLUMN(
		"udp.no_ports", "noport/s", PER_SECOND, 2, RATE,
		"NoPorts: datagrams received without an application at the destination port"),
	[PIPA_COL_UDP_IN_ERRORS] = COLUMN(
		"udp.in_errors", "idgmerr/s", PER_SECOND, 2, RATE,
		"InErrors: datagrams that could not be delivered for another reason"),
};

const struct pipa_column pipa_columns_ip6[PIPA_COL_IP6_NR] = {
	[PIPA_COL_IP6_RECEIVED] = COLUMN(
		"ip6.received", "irec6/s", PER_SECOND, 2, RATE,
		"Ip6InReceives: datagrams received from interfaces, including those in error"),
	[PIPA_COL_IP6_FORWARDED] = COLUMN(
		"ip6.forwarded", "fwddgm6/s", PER_SECOND, 2, RATE,
		"Ip6OutForwDatagrams: output datagrams forwarded to their destination"),
	[PIPA_COL_IP6_DELIVERED] = COLUMN(
		"ip6.delivered", "idel6/s", PER_SECOND, 2, RATE,
		"Ip6InDelivers: datagrams delivered to IPv6 user protocols"),
	[PIPA_COL_IP6_REQUESTS] = COLUMN(
		"ip6.requests", "orq6/s", PER_SECOND, 2, RATE,
		"Ip6OutRequests: datagrams that local IPv6 user protocols sent"),
	[PIPA_COL_IP6_REASSEMBLY] = COLUMN(
		"ip6.reassembly", "asmrq6/s", PER_SECOND, 2, RATE,
		"Ip6ReasmReqds: fragments received that needed reassembly"),
	[PIPA_COL_IP6_REASSEMBLED] = COLUMN("ip6.reassembled", "asmok6/s", PER_SECOND, 2, RATE,
					    "Ip6ReasmOKs: datagrams reassembled"),
	[PIPA_COL_IP6_IN_MULTICAST] = COLUMN("ip6.in_multicast", "imcpck6/s", PER_SECOND, 2, RATE,
					     "Ip6InMcastPkts: multicast packets received"),
	[PIPA_COL_IP6_OUT_MULTICAST] = COLUMN("ip6.out_multicast", "omcpck6/s", PER_SECOND, 2, RATE,
					      "Ip6OutMcastPkts: multicast packets transmitted"),
	[PIPA_COL_IP6_FRAGMENTED] = COLUMN("ip6.fragmented", "fragok6/s", PER_SECOND, 2, RATE,
					   "Ip6FragOKs: output datagrams fragmented"),
	[PIPA_COL_IP6_FRAGMENTS] = COLUMN("ip6.fragments", "fragcr6/s", PER_SECOND, 2, RATE,
					  "Ip6FragCreates: output datagram fragments generated"),
};

const struct pipa_column pipa_columns_ip6_errors[PIPA_COL_IP6_ERRORS_NR] = {
	[PIPA_COL_IP6_ERRORS_HEADER_ERRORS] = COLUMN(
		"ip6.header_errors", "ihdrer6/s", PER_SECOND, 2, RATE,
		"Ip6InHdrErrors: input datagrams discarded because of errors in their headers"),
	[PIPA_COL_IP6_ERRORS_ADDRESS_ERRORS] = COLUMN(
		"ip6.address_errors", "iadrer6/s", PER_SECOND, 2, RATE,
		"Ip6InAddrErrors: datagrams discarded because of an invalid destination address"),
	[PIPA_COL_IP6_ERRORS_UNKNOWN_PROTOCOLS] = COLUMN(
		"ip6.unknown_protocols", "iukwnp6/s", PER_SECOND, 2, RATE,
		"Ip6InUnknownProtos: datagrams discarded because of an unknown protocol"),
	[PIPA_COL_IP6_ERRORS_TOO_BIG] = COLUMN(
		"ip6.too_big", "i2big6/s", PER_SECOND, 2, RATE,
		"Ip6InTooBigErrors: input datagrams that exceeded the MTU of the outgoing link"),
	[PIPA_COL_IP6_ERRORS_IN_DISCARDS] = COLUMN(
		"ip6.in_discards", "idisc6/s", PER_SECOND, 2, RATE,
		"Ip6InDiscards: input datagrams discarded without an error in them"),
	[PIPA_COL_IP6_ERRORS_OUT_DISCARDS] = COLUMN(
		"ip6.out_discards", "odisc6/s", PER_SECOND, 2, RATE,
		"Ip6OutDiscards: output datagrams discarded without an error in them"),
	[PIPA_COL_IP6_ERRORS_IN_NO_ROUTES] = COLUMN(
		"ip6.in_no_routes", "inort6/s", PER_SECOND, 2, RATE,
		"Ip6InNoRoutes: input datagrams discarded because no route was found"),
	[PIPA_COL_IP6_ERRORS_OUT_NO_ROUTES] = COLUMN(
		"ip6.out_no_routes", "onort6/s", PER_SECOND, 2, RATE,
		"Ip6OutNoRoutes: output datagrams discarded because no route was found"),
	[PIPA_COL_IP6_ERRORS_REASSEMBLY_FAILURES] = COLUMN(
		"ip6.reassembly_failures", "asmf6/s", PER_SECOND, 2, RATE,
		"Ip6ReasmFails: failures of the reassembly algorithm"),
	[PIPA_COL_IP6_ERRORS_FRAGMENT_FAILURES] = COLUMN(
		"ip6.fragment_failures", "fragf6/s", PER_SECOND, 2, RATE,
		"Ip6FragFails: datagrams discarded because they could not be fragmented"),
	[PIPA_COL_IP6_ERRORS_TRUNCATED] = COLUMN(
		"ip6.truncated", "itrpck6/s", PER_SECOND, 2, RATE,
		"Ip6InTruncatedPkts: datagrams discarded because the frame was too short"),
};

const struct pipa_column pipa_columns_icmp6[PIPA_COL_ICMP6_NR] = {
	[PIPA_COL_ICMP6_IN] = COLUMN("icmp6.in", "imsg6/s", PER_SECOND, 2, RATE,
				     "Icmp6InMsgs: messages received, including those in error"),
	[PIPA_COL_ICMP6_OUT] = COLUMN("icmp6.out", "omsg6/s", PER_SECOND, 2, RATE,
				      "Icmp6OutMsgs: messages that were attempted to send"),
	[PIPA_COL_ICMP6_IN_ECHOS] = COLUMN("icmp6.in_echos", "iech6/s", PER_SECOND, 2, RATE,
					   "Icmp6InEchos: Echo requests received"),
	[PIPA_COL_ICMP6_IN_ECHO_REPLIES] = COLUMN(
		"icmp6.in_echo_replies", "iechr6/s", PER_SECOND, 2, RATE,
		"Icmp6InEchoReplies: Echo Reply messages received"),
	[PIPA_COL_ICMP6_OUT_ECHO_REPLIES] = COLUMN("icmp6.out_echo_replies", "oechr6/s", PER_SECOND,
						   2, RATE,
						   "Icmp6OutEchoReplies: Echo Reply messages sent"),
	[PIPA_COL_ICMP6_IN_GROUP_QUERIES] = COLUMN(
		"icmp6.in_group_queries", "igmbq6/s", PER_SECOND, 2, RATE,
		"Icmp6InGroupMembQueries: Group Membership Query messages received"),
	[PIPA_COL_ICMP6_IN_GROUP_RESPONSES] = COLUMN(
		"icmp6.in_group_responses", "igmbr6/s", PER_SECOND, 2, RATE,
		"Icmp6InGroupMembResponses: Group Membership Response messages received"),
	[PIPA_COL_ICMP6_OUT_GROUP_RESPONSES] = COLUMN(
		"icmp6.out_group_responses", "ogmbr6/s", PER_SECOND, 2, RATE,
		"Icmp6OutGroupMembResponses: Group Membership Response messages sent"),
	[PIPA_COL_ICMP6_IN_GROUP_REDUCTIONS] = COLUMN(
		"icmp6.in_group_reductions", "igmbrd6/s", PER_SECOND, 2, RATE,
		"Icmp6InGroupMembReductions: Group Membership Reduction messages received"),
	[PIPA_COL_ICMP6_OUT_GROUP_REDUCTIONS] = COLUMN(
		"icmp6.out_group_reductions", "ogmbrd6/s", PER_SECOND, 2, RATE,
		"Icmp6OutGroupMembReductions: Group Membership Reduction messages sent"),
	[PIPA_COL_ICMP6_IN_ROUTER_SOLICITS] = COLUMN(
		"icmp6.in_router_solicits", "irtsol6/s", PER_SECOND, 2, RATE,
		"Icmp6InRouterSolicits: Router Solicitation messages received"),
	[PIPA_COL_ICMP6_OUT_ROUTER_SOLICITS] = COLUMN(
		"icmp6.out_router_solicits", "ortsol6/s", PER_SECOND, 2, RATE,
		"Icmp6OutRouterSolicits: Router Solicitation messages sent"),
	[PIPA_COL_ICMP6_IN_ROUTER_ADVERTS] = COLUMN(
		"icmp6.in_router_adverts", "irtad6/s", PER_SECOND, 2, RATE,
		"Icmp6InRouterAdvertisements: Router Advertisement messages received"),
	[PIPA_COL_ICMP6_IN_NEIGHBOR_SOLICITS] = COLUMN(
		"icmp6.in_neighbor_solicits", "inbsol6/s", PER_SECOND, 2, RATE,
		"Icmp6InNeighborSolicits: Neighbor Solicitation messages received"),
	[PIPA_COL_ICMP6_OUT_NEIGHBOR_SOLICITS] = COLUMN(
		"icmp6.out_neighbor_solicits", "onbsol6/s", PER_SECOND, 2, RATE,
		"Icmp6OutNeighborSolicits: Neighbor Solicitation messages sent"),
	[PIPA_COL_ICMP6_IN_NEIGHBOR_ADVERTS] = COLUMN(
		"icmp6.in_neighbor_adverts", "inbad6/s", PER_SECOND, 2, RATE,
		"Icmp6InNeighborAdvertisements: Neighbor Advertisement messages received"),
	[PIPA_COL_ICMP6_OUT_NEIGHBOR_ADVERTS] = COLUMN(
		"icmp6.out_neighbor_adverts", "onbad6/s", PER_SECOND, 2, RATE,
		"Icmp6OutNeighborAdvertisements: Neighbor Advertisement messages sent"),
};

const struct pipa_column pipa_columns_icmp6_errors[PIPA_COL_ICMP6_ERRORS_NR] = {
	[PIPA_COL_ICMP6_ERRORS_IN_ERRORS] = COLUMN(
		"icmp6.in_errors", "ierr6/s", PER_SECOND, 2, RATE,
		"Icmp6InErrors: messages received with ICMP-specific errors"),
	[PIPA_COL_ICMP6_ERRORS_IN_UNREACHABLE] = COLUMN(
		"icmp6.in_unreachable", "idtunr6/s", PER_SECOND, 2, RATE,
		"Icmp6InDestUnreachs: Destination Unreachable messages received"),
	[PIPA_COL_ICMP6_ERRORS_OUT_UNREACHABLE] = COLUMN(
		"icmp6.out_unreachable", "odtunr6/s", PER_SECOND, 2, RATE,
		"Icmp6OutDestUnreachs: Destination Unreachable messages sent"),
	[PIPA_COL_ICMP6_ERRORS_IN_TIME_EXCEEDED] = COLUMN(
		"icmp6.in_time_exceeded", "itmex6/s", PER_SECOND, 2, RATE,
		"Icmp6InTimeExcds: Time Exceeded messages received"),
	[PIPA_COL_ICMP6_ERRORS_OUT_TIME_EXCEEDED] = COLUMN(
		"icmp6.out_time_exceeded", "otmex6/s", PER_SECOND, 2, RATE,
		"Icmp6OutTimeExcds: Time Exceeded messages sent"),
	[PIPA_COL_ICMP6_ERRORS_IN_PARAMETER_PROBLEMS] = COLUMN(
		"icmp6.in_parameter_problems", "iprmpb6/s", PER_SECOND, 2, RATE,
		"Icmp6InParmProblems: Parameter Problem messages received"),
	[PIPA_COL_ICMP6_ERRORS_OUT_PARAMETER_PROBLEMS] = COLUMN(
		"icmp6.out_parameter_problems", "oprmpb6/s", PER_SECOND, 2, RATE,
		"Icmp6OutParmProblems: Parameter Problem messages sent"),
	[PIPA_COL_ICMP6_ERRORS_IN_REDIRECTS] = COLUMN(
		"icmp6.in_redirects", "iredir6/s", PER_SECOND, 2, RATE,
		"Icmp6InRedirects: Redirect messages received"),
	[PIPA_COL_ICMP6_ERRORS_OUT_REDIRECTS] = COLUMN("icmp6.out_redirects", "oredir6/s",
						       PER_SECOND, 2, RATE,
						       "Icmp6OutRedirects: Redirect messages sent"),
	[PIPA_COL_ICMP6_ERRORS_IN_TOO_BIG] = COLUMN(
		"icmp6.in_too_big", "ipck2b6/s", PER_SECOND, 2, RATE,
		"Icmp6InPktTooBigs: Packet Too Big messages received"),
	[PIPA_COL_ICMP6_ERRORS_OUT_TOO_BIG] = COLUMN(
		"icmp6.out_too_big", "opck2b6/s", PER_SECOND, 2, RATE,
		"Icmp6OutPktTooBigs: Packet Too Big messages sent"),
};

const struct pipa_column pipa_columns_udp6[PIPA_COL_UDP6_NR] = {
	[PIPA_COL_UDP6_IN] = COLUMN("udp6.in", "idgm6/s", PER_SECOND, 2, RATE,
				    "Udp6InDatagrams: datagrams delivered to UDP users"),
	[PIPA_COL_UDP6_OUT] = COLUMN("udp6.out", "odgm6/s", PER_SECOND, 2, RATE,
				     "Udp6OutDatagrams: datagrams sent"),
	[PIPA_COL_UDP6_NO_PORTS] = COLUMN(
		"udp6.no_ports", "noport6/s", PER_SECOND, 2, RATE,
		"Udp6NoPorts: datagrams received without an application at the destination port"),
	[PIPA_COL_UDP6_IN_ERRORS] = COLUMN(
		"udp6.in_errors", "idgmer6/s", PER_SECOND, 2, RATE,
		"Udp6InErrors: datagrams that could not be delivered for another reason"),
};
