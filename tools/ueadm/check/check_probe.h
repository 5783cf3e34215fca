/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes of "ueadm check": packets to a peer over one rail, their answers, and what a tap
 * on the rails of this host saw of both.
 */
#ifndef UEADM_CHECK_PROBE_H
#define UEADM_CHECK_PROBE_H

#include <net/if.h>
#include <netinet/in.h>

#include "check.h"

#define UEA_MACS_MAX	4
#define UEA_MAC_LEN	6
#define UEA_SIZES	5	/* powers of 2 from 1024 on */
#define UEA_SIZE_MIN	1024
#define UEA_JOBS_MAX	64

/**
 * struct uea_macs - different hardware addresses
 * @addr: the addresses
 * @nr: how many
 */
struct uea_macs {
	uint8_t addr[UEA_MACS_MAX][UEA_MAC_LEN];
	unsigned int nr;
};

/**
 * struct uea_path - a peer, as a FEP reaches it over one of its rails
 * @fep: record of the FEP
 * @peer: fabric address
 * @dev: netdev of the rail
 * @ifindex: of the rail
 * @plane: of the rail
 * @sent: NO_OPs sent
 * @answered: those with an answer
 * @retx: how often they were sent again
 * @rtt_ns: shortest round trip; 0: none
 * @long_answered: answers to requests as long as the longest packet of the FEP
 * @read_refused: bit i: the peer reads no UEA_SIZE_MIN << i bytes at once
 * @read_answered: bit i: it answered the question
 * @jobs: JobIDs, the first @nr_own those of the FEP here
 * @nr_jobs: how many
 * @nr_own: how many of them are of the FEP
 * @has_job: bit i: the FEP of the peer has @jobs[i]
 * @lacks_job: bit i: it does not
 * @left: NO_OPs that left on the rail
 * @came: answers that came in on the rail
 * @refused: ICMP messages of the peer: no such port or protocol
 * @rejected: ICMP messages of the peer: prohibited
 * @icmp_small: answers to small ICMP packets
 * @icmp_full: answers to ICMP packets as long as the longest packet of the FEP
 * @icmp_sent: packets of either kind
 * @queue_drops: packets that the queue of the rail dropped during the probes
 * @queue: kind of that queue
 * @via: next hop on the rail; the peer itself if it is on the link; "": no route
 * @is_dumb: the neighbour entry of @via says that it does not answer
 * @has_mac: @mac is the hardware address of that entry
 * @mac: hardware address that packets go to
 * @via_macs: who answers ARP for @via
 * @peer_macs: who answers ARP for @peer on the link
 * @hop_dev: netdev where the answer of @via to ICMP came in; 0: none came
 * @values: entropy values tried
 * @dead_values: those of which no packet was answered
 * @live_percent: answers to packets with the others; 0: there are none
 * @told: rules that were told of the path, one bit each
 */
struct uea_path {
	struct json_object *fep;
	const char *peer;
	char dev[IF_NAMESIZE];
	unsigned int ifindex;
	unsigned int plane;
	unsigned int sent;
	unsigned int answered;
	unsigned int retx;
	uint64_t rtt_ns;
	unsigned int long_answered;
	unsigned int read_refused;
	unsigned int read_answered;
	uint32_t jobs[UEA_JOBS_MAX];
	unsigned int nr_jobs;
	unsigned int nr_own;
	uint64_t has_job;
	uint64_t lacks_job;
	unsigned int left;
	unsigned int came;
	unsigned int refused;
	unsigned int rejected;
	unsigned int icmp_small;
	unsigned int icmp_full;
	unsigned int icmp_sent;
	unsigned int queue_drops;
	char queue[16];
	char via[INET6_ADDRSTRLEN];
	bool is_dumb;
	bool has_mac;
	uint8_t mac[UEA_MAC_LEN];
	struct uea_macs via_macs;
	struct uea_macs peer_macs;
	unsigned int hop_dev;
	unsigned int values;
	unsigned int dead_values;
	unsigned int live_percent;
	unsigned int told;
};

/**
 * struct uea_paths - all paths
 * @list: array
 * @nr: its length
 * @tap: sees packets of all netdevs; -1: none
 * @is_blind: @tap has lost packets
 * @crc: packets dropped for their CRC during the probes
 * @rx_drops: packets that FEPs dropped then
 */
struct uea_paths {
	struct uea_path *list;
	size_t nr;
	int tap;
	bool is_blind;
	uint64_t crc;
	uint64_t rx_drops;
};

/* An address of either family. */
union uea_sockaddr {
	struct sockaddr sa;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/**
 * struct uea_question - a kind of request
 * @attr: UET_A_PING_* that makes it another request than a NO_OP; 0: a NO_OP
 * @values: of that attribute, one for each request to a path; NULL without @attr
 * @each: requests to each path
 * @answer: takes the outcome of request @nr of a path
 */
struct uea_question {
	uint16_t attr;
	const uint32_t *values;
	unsigned int each;
	void (*answer)(struct uea_path *path, unsigned int nr,
		       struct json_object *record);
};

/* check_probe.c */
int uea_probe_uet(struct uea_ctx *ctx, struct uea_path *paths, size_t nr,
		  const struct uea_question *question);
uint64_t uea_probe_now(void);
socklen_t uea_probe_addr(union uea_sockaddr *addr, const char *text,
			 unsigned int port);

/* check_rules.c */
void uea_check_judge(struct uea_check *check, struct uea_paths *paths);

/* check_ask.c */
int uea_ask_alive(struct uea_check *check, struct uea_paths *paths);
int uea_ask_peers(struct uea_check *check, struct uea_paths *paths);

/* check_icmp.c */
void uea_probe_icmp(struct uea_path *path);
void uea_probe_hop(const struct uea_path *path);

/**
 * struct uea_frame - an IP packet that the tap saw
 * @ifindex: of the netdev
 * @is_out: it left
 * @family: AF_INET or AF_INET6
 * @from: source address
 * @to: destination address
 * @proto: protocol behind the IP header
 * @data: from there
 * @len: bytes of @data, of which long packets have only the first
 */
struct uea_frame {
	unsigned int ifindex;
	bool is_out;
	int family;
	const uint8_t *from;
	const uint8_t *to;
	uint8_t proto;
	const uint8_t *data;
	size_t len;
};

/* check_tap.c */
void uea_tap_open(struct uea_paths *paths);
void uea_tap_close(struct uea_paths *paths);
void uea_tap_read(struct uea_paths *paths,
		  void (*fn)(const struct uea_frame *frame, void *arg), void *arg);
void uea_tap_count(struct uea_paths *paths);
bool uea_tap_is_from(const struct uea_frame *frame, const char *addr);

/* check_craft.c */
bool uea_craft_crc(struct uea_paths *paths, const struct uea_path *path,
		   bool has_crc);
bool uea_craft_other(struct uea_paths *paths, const struct uea_path *path,
		     char *text, size_t size);
void uea_craft_values(struct uea_paths *paths, struct uea_path *path);

/* check_link.c */
void uea_link_look(struct uea_paths *paths);
void uea_link_queues(struct uea_paths *paths, bool is_first);

#endif
