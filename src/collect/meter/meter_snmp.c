/* Statistics of the Internet protocols (SNMP counters). */
#include "collect/meter/meter_columns.h"

#define SNMP(part, key) PER_SECOND(SNMP_##part##_##key)

static const struct pipa_formula ip[] = {
	[PIPA_COL_IP_RECEIVED] = SNMP(Ip, InReceives),
	[PIPA_COL_IP_FORWARDED] = SNMP(Ip, ForwDatagrams),
	[PIPA_COL_IP_DELIVERED] = SNMP(Ip, InDelivers),
	[PIPA_COL_IP_REQUESTS] = SNMP(Ip, OutRequests),
	[PIPA_COL_IP_REASSEMBLY] = SNMP(Ip, ReasmReqds),
	[PIPA_COL_IP_REASSEMBLED] = SNMP(Ip, ReasmOKs),
	[PIPA_COL_IP_FRAGMENTED] = SNMP(Ip, FragOKs),
	[PIPA_COL_IP_FRAGMENTS] = SNMP(Ip, FragCreates),
};

static const struct pipa_formula ip_errors[] = {
	[PIPA_COL_IP_ERRORS_HEADER_ERRORS] = SNMP(Ip, InHdrErrors),
	[PIPA_COL_IP_ERRORS_ADDRESS_ERRORS] = SNMP(Ip, InAddrErrors),
	[PIPA_COL_IP_ERRORS_UNKNOWN_PROTOCOLS] = SNMP(Ip, InUnknownProtos),
	[PIPA_COL_IP_ERRORS_IN_DISCARDS] = SNMP(Ip, InDiscards),
	[PIPA_COL_IP_ERRORS_OUT_DISCARDS] = SNMP(Ip, OutDiscards),
	[PIPA_COL_IP_ERRORS_NO_ROUTES] = SNMP(Ip, OutNoRoutes),
	[PIPA_COL_IP_ERRORS_REASSEMBLY_FAILURES] = SNMP(Ip, ReasmFails),
	[PIPA_COL_IP_ERRORS_FRAGMENT_FAILURES] = SNMP(Ip, FragFails),
};

static const struct pipa_formula icmp[] = {
	[PIPA_COL_ICMP_IN] = SNMP(Icmp, InMsgs),
	[PIPA_COL_ICMP_OUT] = SNMP(Icmp, OutMsgs),
	[PIPA_COL_ICMP_IN_ECHOS] = SNMP(Icmp, InEchos),
	[PIPA_COL_ICMP_IN_ECHO_REPLIES] = SNMP(Icmp, InEchoReps),
	[PIPA_COL_ICMP_OUT_ECHOS] = SNMP(Icmp, OutEchos),
	[PIPA_COL_ICMP_OUT_ECHO_REPLIES] = SNMP(Icmp, OutEchoReps),
	[PIPA_COL_ICMP_IN_TIMESTAMPS] = SNMP(Icmp, InTimestamps),
	[PIPA_COL_ICMP_IN_TIMESTAMP_REPLIES] = SNMP(Icmp, InTimestampReps),
	[PIPA_COL_ICMP_OUT_TIMESTAMPS] = SNMP(Icmp, OutTimestamps),
	[PIPA_COL_ICMP_OUT_TIMESTAMP_REPLIES] = SNMP(Icmp, OutTimestampReps),
	[PIPA_COL_ICMP_IN_MASKS] = SNMP(Icmp, InAddrMasks),
	[PIPA_COL_ICMP_IN_MASK_REPLIES] = SNMP(Icmp, InAddrMaskReps),
	[PIPA_COL_ICMP_OUT_MASKS] = SNMP(Icmp, OutAddrMasks),
	[PIPA_COL_ICMP_OUT_MASK_REPLIES] = SNMP(Icmp, OutAddrMaskReps),
};

static const struct pipa_formula icmp_errors[] = {
	[PIPA_COL_ICMP_ERRORS_IN_ERRORS] = SNMP(Icmp, InErrors),
	[PIPA_COL_ICMP_ERRORS_OUT_ERRORS] = SNMP(Icmp, OutErrors),
	[PIPA_COL_ICMP_ERRORS_IN_UNREACHABLE] = SNMP(Icmp, InDestUnreachs),
	[PIPA_COL_ICMP_ERRORS_OUT_UNREACHABLE] = SNMP(Icmp, OutDestUnreachs),
	[PIPA_COL_ICMP_ERRORS_IN_TIME_EXCEEDED] = SNMP(Icmp, InTimeExcds),
	[PIPA_COL_ICMP_ERRORS_OUT_TIME_EXCEEDED] = SNMP(Icmp, OutTimeExcds),
	[PIPA_COL_ICMP_ERRORS_IN_PARAMETER_PROBLEMS] = SNMP(Icmp, InParmProbs),
	[PIPA_COL_ICMP_ERRORS_OUT_PARAMETER_PROBLEMS] = SNMP(Icmp, OutParmProbs),
	[PIPA_COL_ICMP_ERRORS_IN_QUENCHES] = SNMP(Icmp, InSrcQuenchs),
	[PIPA_COL_ICMP_ERRORS_OUT_QUENCHES] = SNMP(Icmp, OutSrcQuenchs),
	[PIPA_COL_ICMP_ERRORS_IN_REDIRECTS] = SNMP(Icmp, InRedirects),
	[PIPA_COL_ICMP_ERRORS_OUT_REDIRECTS] = SNMP(Icmp, OutRedirects),
};

static const struct pipa_formula tcp[] = {
	[PIPA_COL_TCP_ACTIVE] = SNMP(Tcp, ActiveOpens),
	[PIPA_COL_TCP_PASSIVE] = SNMP(Tcp, PassiveOpens),
	[PIPA_COL_TCP_IN] = SNMP(Tcp, InSegs),
	[PIPA_COL_TCP_OUT] = SNMP(Tcp, OutSegs),
};

static const struct pipa_formula tcp_errors[] = {
	[PIPA_COL_TCP_ERRORS_FAILED] = SNMP(Tcp, AttemptFails),
	[PIPA_COL_TCP_ERRORS_RESETS] = SNMP(Tcp, EstabResets),
	[PIPA_COL_TCP_ERRORS_RETRANSMITS] = SNMP(Tcp, RetransSegs),
	[PIPA_COL_TCP_ERRORS_IN_ERRORS] = SNMP(Tcp, InErrs),
	[PIPA_COL_TCP_ERRORS_OUT_RESETS] = SNMP(Tcp, OutRsts),
};

static const struct pipa_formula udp[] = {
	[PIPA_COL_UDP_IN] = SNMP(Udp, InDatagrams),
	[PIPA_COL_UDP_OUT] = SNMP(Udp, OutDatagrams),
	[PIPA_COL_UDP_NO_PORTS] = SNMP(Udp, NoPorts),
	[PIPA_COL_UDP_IN_ERRORS] = SNMP(Udp, InErrors),
};

#define SNMP6(key) PER_SECOND(SNMP6_##key)

static const struct pipa_formula ip6[] = {
	[PIPA_COL_IP6_RECEIVED] = SNMP6(Ip6InReceives),
	[PIPA_COL_IP6_FORWARDED] = SNMP6(Ip6OutForwDatagrams),
	[PIPA_COL_IP6_DELIVERED] = SNMP6(Ip6InDelivers),
	[PIPA_COL_IP6_REQUESTS] = SNMP6(Ip6OutRequests),
	[PIPA_COL_IP6_REASSEMBLY] = SNMP6(Ip6ReasmReqds),
	[PIPA_COL_IP6_REASSEMBLED] = SNMP6(Ip6ReasmOKs),
	[PIPA_COL_IP6_IN_MULTICAST] = SNMP6(Ip6InMcastPkts),
	[PIPA_COL_IP6_OUT_MULTICAST] = SNMP6(Ip6OutMcastPkts),
	[PIPA_COL_IP6_FRAGMENTED] = SNMP6(Ip6FragOKs),
	[PIPA_COL_IP6_FRAGMENTS] = SNMP6(Ip6FragCreates),
};

static const struct pipa_formula ip6_errors[] = {
	[PIPA_COL_IP6_ERRORS_HEADER_ERRORS] = SNMP6(Ip6InHdrErrors),
	[PIPA_COL_IP6_ERRORS_ADDRESS_ERRORS] = SNMP6(Ip6InAddrErrors),
	[PIPA_COL_IP6_ERRORS_UNKNOWN_PROTOCOLS] = SNMP6(Ip6InUnknownProtos),
	[PIPA_COL_IP6_ERRORS_TOO_BIG] = SNMP6(Ip6InTooBigErrors),
	[PIPA_COL_IP6_ERRORS_IN_DISCARDS] = SNMP6(Ip6InDiscards),
	[PIPA_COL_IP6_ERRORS_OUT_DISCARDS] = SNMP6(Ip6OutDiscards),
	[PIPA_COL_IP6_ERRORS_IN_NO_ROUTES] = SNMP6(Ip6InNoRoutes),
	[PIPA_COL_IP6_ERRORS_OUT_NO_ROUTES] = SNMP6(Ip6OutNoRoutes),
	[PIPA_COL_IP6_ERRORS_REASSEMBLY_FAILURES] = SNMP6(Ip6ReasmFails),
	[PIPA_COL_IP6_ERRORS_FRAGMENT_FAILURES] = SNMP6(Ip6FragFails),
	[PIPA_COL_IP6_ERRORS_TRUNCATED] = SNMP6(Ip6InTruncatedPkts),
};

static const struct pipa_formula icmp6[] = {
	[PIPA_COL_ICMP6_IN] = SNMP6(Icmp6InMsgs),
	[PIPA_COL_ICMP6_OUT] = SNMP6(Icmp6OutMsgs),
	[PIPA_COL_ICMP6_IN_ECHOS] = SNMP6(Icmp6InEchos),
	[PIPA_COL_ICMP6_IN_ECHO_REPLIES] = SNMP6(Icmp6InEchoReplies),
	[PIPA_COL_ICMP6_OUT_ECHO_REPLIES] = SNMP6(Icmp6OutEchoReplies),
	[PIPA_COL_ICMP6_IN_GROUP_QUERIES] = SNMP6(Icmp6InGroupMembQueries),
	[PIPA_COL_ICMP6_IN_GROUP_RESPONSES] = SNMP6(Icmp6InGroupMembResponses),
	[PIPA_COL_ICMP6_OUT_GROUP_RESPONSES] = SNMP6(Icmp6OutGroupMembResponses),
	[PIPA_COL_ICMP6_IN_GROUP_REDUCTIONS] = SNMP6(Icmp6InGroupMembReductions),
	[PIPA_COL_ICMP6_OUT_GROUP_REDUCTIONS] = SNMP6(Icmp6OutGroupMembReductions),
	[PIPA_COL_ICMP6_IN_ROUTER_SOLICITS] = SNMP6(Icmp6InRouterSolicits),
	[PIPA_COL_ICMP6_OUT_ROUTER_SOLICITS] = SNMP6(Icmp6OutRouterSolicits),
	[PIPA_COL_ICMP6_IN_ROUTER_ADVERTS] = SNMP6(Icmp6InRouterAdvertisements),
	[PIPA_COL_ICMP6_IN_NEIGHBOR_SOLICITS] = SNMP6(Icmp6InNeighborSolicits),
	[PIPA_COL_ICMP6_OUT_NEIGHBOR_SOLICITS] = SNMP6(Icmp6OutNeighborSolicits),
	[PIPA_COL_ICMP6_IN_NEIGHBOR_ADVERTS] = SNMP6(Icmp6InNeighborAdvertisements),
	[PIPA_COL_ICMP6_OUT_NEIGHBOR_ADVERTS] = SNMP6(Icmp6OutNeighborAdvertisements),
};

static const struct pipa_formula icmp6_errors[] = {
	[PIPA_COL_ICMP6_ERRORS_IN_ERRORS] = SNMP6(Icmp6InErrors),
	[PIPA_COL_ICMP6_ERRORS_IN_UNREACHABLE] = SNMP6(Icmp6InDestUnreachs),
	[PIPA_COL_ICMP6_ERRORS_OUT_UNREACHABLE] = SNMP6(Icmp6OutDestUnreachs),
	[PIPA_COL_ICMP6_ERRORS_IN_TIME_EXCEEDED] = SNMP6(Icmp6InTimeExcds),
	[PIPA_COL_ICMP6_ERRORS_OUT_TIME_EXCEEDED] = SNMP6(Icmp6OutTimeExcds),
	[PIPA_COL_ICMP6_ERRORS_IN_PARAMETER_PROBLEMS] = SNMP6(Icmp6InParmProblems),
	[PIPA_COL_ICMP6_ERRORS_OUT_PARAMETER_PROBLEMS] = SNMP6(Icmp6OutParmProblems),
	[PIPA_COL_ICMP6_ERRORS_IN_REDIRECTS] = SNMP6(Icmp6InRedirects),
	[PIPA_COL_ICMP6_ERRORS_OUT_REDIRECTS] = SNMP6(Icmp6OutRedirects),
	[PIPA_COL_ICMP6_ERRORS_IN_TOO_BIG] = SNMP6(Icmp6InPktTooBigs),
	[PIPA_COL_ICMP6_ERRORS_OUT_TOO_BIG] = SNMP6(Icmp6OutPktTooBigs),
};

static const struct pipa_formula udp6[] = {
	[PIPA_COL_UDP6_IN] = SNMP6(Udp6InDatagrams),
	[PIPA_COL_UDP6_OUT] = SNMP6(Udp6OutDatagrams),
	[PIPA_COL_UDP6_NO_PORTS] = SNMP6(Udp6NoPorts),
	[PIPA_COL_UDP6_IN_ERRORS] = SNMP6(Udp6InErrors),
};

SECTION(ip, IP, ip, SNMP);
SECTION(ip_errors, IP_ERRORS, ip_errors, SNMP);
SECTION(icmp, ICMP, icmp, SNMP);
SECTION(icmp_errors, ICMP_ERRORS, icmp_errors, SNMP);
SECTION(tcp, TCP, tcp, SNMP);
SECTION(tcp_errors, TCP_ERRORS, tcp_errors, SNMP);
SECTION(udp, UDP, udp, SNMP);
SECTION(ip6, IP6, ip6, SNMP6);
SECTION(ip6_errors, IP6_ERRORS, ip6_errors, SNMP6);
SECTION(icmp6, ICMP6, icmp6, SNMP6);
SECTION(icmp6_errors, ICMP6_ERRORS, icmp6_errors, SNMP6);
SECTION(udp6, UDP6, udp6, SNMP6);
