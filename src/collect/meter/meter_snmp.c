/* The protocols of the Internet. */
#include "collect/meter/meter_columns.h"

#define SNMP(id, name, part, key) PER_SECOND(id, name, SNMP_##part##_##key)

static const struct pipa_column ip[] = {
	SNMP("ip.received", "irec/s", Ip, InReceives),
	SNMP("ip.forwarded", "fwddgm/s", Ip, ForwDatagrams),
	SNMP("ip.delivered", "idel/s", Ip, InDelivers),
	SNMP("ip.requests", "orq/s", Ip, OutRequests),
	SNMP("ip.reassembly", "asmrq/s", Ip, ReasmReqds),
	SNMP("ip.reassembled", "asmok/s", Ip, ReasmOKs),
	SNMP("ip.fragmented", "fragok/s", Ip, FragOKs),
	SNMP("ip.fragments", "fragcrt/s", Ip, FragCreates),
};

static const struct pipa_column ip_errors[] = {
	SNMP("ip.header_errors", "ihdrerr/s", Ip, InHdrErrors),
	SNMP("ip.address_errors", "iadrerr/s", Ip, InAddrErrors),
	SNMP("ip.unknown_protocols", "iukwnpr/s", Ip, InUnknownProtos),
	SNMP("ip.in_discards", "idisc/s", Ip, InDiscards),
	SNMP("ip.out_discards", "odisc/s", Ip, OutDiscards),
	SNMP("ip.no_routes", "onort/s", Ip, OutNoRoutes),
	SNMP("ip.reassembly_failures", "asmf/s", Ip, ReasmFails),
	SNMP("ip.fragment_failures", "fragf/s", Ip, FragFails),
};

static const struct pipa_column icmp[] = {
	SNMP("icmp.in", "imsg/s", Icmp, InMsgs),
	SNMP("icmp.out", "omsg/s", Icmp, OutMsgs),
	SNMP("icmp.in_echos", "iech/s", Icmp, InEchos),
	SNMP("icmp.in_echo_replies", "iechr/s", Icmp, InEchoReps),
	SNMP("icmp.out_echos", "oech/s", Icmp, OutEchos),
	SNMP("icmp.out_echo_replies", "oechr/s", Icmp, OutEchoReps),
	SNMP("icmp.in_timestamps", "itm/s", Icmp, InTimestamps),
	SNMP("icmp.in_timestamp_replies", "itmr/s", Icmp, InTimestampReps),
	SNMP("icmp.out_timestamps", "otm/s", Icmp, OutTimestamps),
	SNMP("icmp.out_timestamp_replies", "otmr/s", Icmp, OutTimestampReps),
	SNMP("icmp.in_masks", "iadrmk/s", Icmp, InAddrMasks),
	SNMP("icmp.in_mask_replies", "iadrmkr/s", Icmp, InAddrMaskReps),
	SNMP("icmp.out_masks", "oadrmk/s", Icmp, OutAddrMasks),
	SNMP("icmp.out_mask_replies", "oadrmkr/s", Icmp, OutAddrMaskReps),
};

static const struct pipa_column icmp_errors[] = {
	SNMP("icmp.in_errors", "ierr/s", Icmp, InErrors),
	SNMP("icmp.out_errors", "oerr/s", Icmp, OutErrors),
	SNMP("icmp.in_unreachable", "idstunr/s", Icmp, InDestUnreachs),
	SNMP("icmp.out_unreachable", "odstunr/s", Icmp, OutDestUnreachs),
	SNMP("icmp.in_time_exceeded", "itmex/s", Icmp, InTimeExcds),
	SNMP("icmp.out_time_exceeded", "otmex/s", Icmp, OutTimeExcds),
	SNMP("icmp.in_parameter_problems", "iparmpb/s", Icmp, InParmProbs),
	SNMP("icmp.out_parameter_problems", "oparmpb/s", Icmp, OutParmProbs),
	SNMP("icmp.in_quenches", "isrcq/s", Icmp, InSrcQuenchs),
	SNMP("icmp.out_quenches", "osrcq/s", Icmp, OutSrcQuenchs),
	SNMP("icmp.in_redirects", "iredir/s", Icmp, InRedirects),
	SNMP("icmp.out_redirects", "oredir/s", Icmp, OutRedirects),
};

static const struct pipa_column tcp[] = {
	SNMP("tcp.active", "active/s", Tcp, ActiveOpens),
	SNMP("tcp.passive", "passive/s", Tcp, PassiveOpens),
	SNMP("tcp.in", "iseg/s", Tcp, InSegs),
	SNMP("tcp.out", "oseg/s", Tcp, OutSegs),
};

static const struct pipa_column tcp_errors[] = {
	SNMP("tcp.failed", "atmptf/s", Tcp, AttemptFails),
	SNMP("tcp.resets", "estres/s", Tcp, EstabResets),
	SNMP("tcp.retransmits", "retrans/s", Tcp, RetransSegs),
	SNMP("tcp.in_errors", "isegerr/s", Tcp, InErrs),
	SNMP("tcp.out_resets", "orsts/s", Tcp, OutRsts),
};

static const struct pipa_column udp[] = {
	SNMP("udp.in", "idgm/s", Udp, InDatagrams),
	SNMP("udp.out", "odgm/s", Udp, OutDatagrams),
	SNMP("udp.no_ports", "noport/s", Udp, NoPorts),
	SNMP("udp.in_errors", "idgmerr/s", Udp, InErrors),
};

#define SNMP6(id, name, key) PER_SECOND(id, name, SNMP6_##key)

static const struct pipa_column ip6[] = {
	SNMP6("ip6.received", "irec6/s", Ip6InReceives),
	SNMP6("ip6.forwarded", "fwddgm6/s", Ip6OutForwDatagrams),
	SNMP6("ip6.delivered", "idel6/s", Ip6InDelivers),
	SNMP6("ip6.requests", "orq6/s", Ip6OutRequests),
	SNMP6("ip6.reassembly", "asmrq6/s", Ip6ReasmReqds),
	SNMP6("ip6.reassembled", "asmok6/s", Ip6ReasmOKs),
	SNMP6("ip6.in_multicast", "imcpck6/s", Ip6InMcastPkts),
	SNMP6("ip6.out_multicast", "omcpck6/s", Ip6OutMcastPkts),
	SNMP6("ip6.fragmented", "fragok6/s", Ip6FragOKs),
	SNMP6("ip6.fragments", "fragcr6/s", Ip6FragCreates),
};

static const struct pipa_column ip6_errors[] = {
	SNMP6("ip6.header_errors", "ihdrer6/s", Ip6InHdrErrors),
	SNMP6("ip6.address_errors", "iadrer6/s", Ip6InAddrErrors),
	SNMP6("ip6.unknown_protocols", "iukwnp6/s", Ip6InUnknownProtos),
	SNMP6("ip6.too_big", "i2big6/s", Ip6InTooBigErrors),
	SNMP6("ip6.in_discards", "idisc6/s", Ip6InDiscards),
	SNMP6("ip6.out_discards", "odisc6/s", Ip6OutDiscards),
	SNMP6("ip6.in_no_routes", "inort6/s", Ip6InNoRoutes),
	SNMP6("ip6.out_no_routes", "onort6/s", Ip6OutNoRoutes),
	SNMP6("ip6.reassembly_failures", "asmf6/s", Ip6ReasmFails),
	SNMP6("ip6.fragment_failures", "fragf6/s", Ip6FragFails),
	SNMP6("ip6.truncated", "itrpck6/s", Ip6InTruncatedPkts),
};

static const struct pipa_column icmp6[] = {
	SNMP6("icmp6.in", "imsg6/s", Icmp6InMsgs),
	SNMP6("icmp6.out", "omsg6/s", Icmp6OutMsgs),
	SNMP6("icmp6.in_echos", "iech6/s", Icmp6InEchos),
	SNMP6("icmp6.in_echo_replies", "iechr6/s", Icmp6InEchoReplies),
	SNMP6("icmp6.out_echo_replies", "oechr6/s", Icmp6OutEchoReplies),
	SNMP6("icmp6.in_group_queries", "igmbq6/s", Icmp6InGroupMembQueries),
	SNMP6("icmp6.in_group_responses", "igmbr6/s", Icmp6InGroupMembResponses),
	SNMP6("icmp6.out_group_responses", "ogmbr6/s", Icmp6OutGroupMembResponses),
	SNMP6("icmp6.in_group_reductions", "igmbrd6/s", Icmp6InGroupMembReductions),
	SNMP6("icmp6.out_group_reductions", "ogmbrd6/s", Icmp6OutGroupMembReductions),
	SNMP6("icmp6.in_router_solicits", "irtsol6/s", Icmp6InRouterSolicits),
	SNMP6("icmp6.out_router_solicits", "ortsol6/s", Icmp6OutRouterSolicits),
	SNMP6("icmp6.in_router_adverts", "irtad6/s", Icmp6InRouterAdvertisements),
	SNMP6("icmp6.in_neighbor_solicits", "inbsol6/s", Icmp6InNeighborSolicits),
	SNMP6("icmp6.out_neighbor_solicits", "onbsol6/s", Icmp6OutNeighborSolicits),
	SNMP6("icmp6.in_neighbor_adverts", "inbad6/s", Icmp6InNeighborAdvertisements),
	SNMP6("icmp6.out_neighbor_adverts", "onbad6/s", Icmp6OutNeighborAdvertisements),
};

static const struct pipa_column icmp6_errors[] = {
	SNMP6("icmp6.in_errors", "ierr6/s", Icmp6InErrors),
	SNMP6("icmp6.in_unreachable", "idtunr6/s", Icmp6InDestUnreachs),
	SNMP6("icmp6.out_unreachable", "odtunr6/s", Icmp6OutDestUnreachs),
	SNMP6("icmp6.in_time_exceeded", "itmex6/s", Icmp6InTimeExcds),
	SNMP6("icmp6.out_time_exceeded", "otmex6/s", Icmp6OutTimeExcds),
	SNMP6("icmp6.in_parameter_problems", "iprmpb6/s", Icmp6InParmProblems),
	SNMP6("icmp6.out_parameter_problems", "oprmpb6/s", Icmp6OutParmProblems),
	SNMP6("icmp6.in_redirects", "iredir6/s", Icmp6InRedirects),
	SNMP6("icmp6.out_redirects", "oredir6/s", Icmp6OutRedirects),
	SNMP6("icmp6.in_too_big", "ipck2b6/s", Icmp6InPktTooBigs),
	SNMP6("icmp6.out_too_big", "opck2b6/s", Icmp6OutPktTooBigs),
};

static const struct pipa_column udp6[] = {
	SNMP6("udp6.in", "idgm6/s", Udp6InDatagrams),
	SNMP6("udp6.out", "odgm6/s", Udp6OutDatagrams),
	SNMP6("udp6.no_ports", "noport6/s", Udp6NoPorts),
	SNMP6("udp6.in_errors", "idgmer6/s", Udp6InErrors),
};

SECTION(ip, "ip", NULL, "IPv4", ip, SNMP);
SECTION(ip_errors, "ip-errors", NULL, "IPv4 errors", ip_errors, SNMP);
SECTION(icmp, "icmp", NULL, "ICMP", icmp, SNMP);
SECTION(icmp_errors, "icmp-errors", NULL, "ICMP errors", icmp_errors, SNMP);
SECTION(tcp, "tcp", NULL, "TCP", tcp, SNMP);
SECTION(tcp_errors, "tcp-errors", NULL, "TCP errors", tcp_errors, SNMP);
SECTION(udp, "udp", NULL, "UDP", udp, SNMP);
SECTION(ip6, "ip6", NULL, "IPv6", ip6, SNMP6);
SECTION(ip6_errors, "ip6-errors", NULL, "IPv6 errors", ip6_errors, SNMP6);
SECTION(icmp6, "icmp6", NULL, "ICMPv6", icmp6, SNMP6);
SECTION(icmp6_errors, "icmp6-errors", NULL, "ICMPv6 errors", icmp6_errors, SNMP6);
SECTION(udp6, "udp6", NULL, "UDPv6", udp6, SNMP6);
