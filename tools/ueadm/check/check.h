/* SPDX-License-Identifier: GPL-2.0 */
/*
 * "ueadm check" inside: findings (check.c, which looks at the module and what is
 * configured), secure domains (check_sd.c), the host below it (check_host.c), queues of NICs
 * (check_hash.c),
 * refusals of peers (check_refused.c), routes (check_route.c), firewalls
 * (check_wall.c), probes of each peer over each rail (check_path.c, check_rules.c), netdevs that have
 * moved (check_netns.c), counters (check_count.c) and congestion (check_cc.c).
 */
#ifndef UEADM_CHECK_H
#define UEADM_CHECK_H

#include "ueadm.h"

#define UEA_CHECK_TEXT	128	/* an object, or a command */

/**
 * enum uea_weight - severity of a finding
 * @UEA_ERROR: something does not work
 * @UEA_WARNING: something may not work, or not well
 * @UEA_HINT: information; nothing is wrong yet
 */
enum uea_weight {
	UEA_ERROR,
	UEA_WARNING,
	UEA_HINT,
};

/**
 * enum uea_rank - what a finding rests on
 * @UEA_FACT: what this host is configured as
 * @UEA_PROBE: answers to packets sent for it
 * @UEA_COUNT: counters, which may have several reasons
 */
enum uea_rank {
	UEA_FACT,
	UEA_PROBE,
	UEA_COUNT,
};

/**
 * struct uea_check - a run
 * @ctx: of the program
 * @rails: JSON array of all rails
 * @feps: of all FEPs
 * @jobs: of all jobs
 * @sds: all secure domains
 * @peers: addresses, each an object with "addr" and "fep"
 * @findings: findings so far
 * @counters: of the module, at the beginning
 * @pdcs: all PDCs, at the beginning; NULL: not known
 * @traffic: of all peers, at the beginning; NULL: not known
 * @since: when they were read, nanoseconds of uea_probe_now()
 * @wall: a firewall rule that looks as if it dropped UET packets; "": none
 * @udp_port: of a FEP; 0: none uses UDP
 * @has_notrack: a firewall rule exempts it from connection tracking
 * @conn_count: entries of the connection table of the firewall
 * @conn_max: its size; 0: there is none
 * @rank: of the findings that follow, within their severity; the lowest is first
 * @nr_wrong: number of findings that are not hints
 */
struct uea_check {
	struct uea_ctx *ctx;
	struct json_object *rails;
	struct json_object *feps;
	struct json_object *jobs;
	struct json_object *sds;
	struct json_object *peers;
	struct json_object *findings;
	struct json_object *counters;
	struct json_object *pdcs;
	struct json_object *traffic;
	uint64_t since;
	char wall[UEA_CHECK_TEXT];
	unsigned int udp_port;
	bool has_notrack;
	unsigned int conn_count;
	unsigned int conn_max;
	enum uea_rank rank;
	unsigned int nr_wrong;
};

/* check.c */
__attribute__((format(printf, 5, 6)))
void uea_found(struct uea_check *check, enum uea_weight severity,
	       const char *object, const char *fix, const char *fmt, ...);
struct json_object *uea_check_rail(const struct uea_check *check,
				   const char *dev);
struct json_object *uea_check_fep(const struct uea_check *check, const char *name);

/* A usable rail of a FEP, to a peer of that FEP. */
typedef void (*uea_path_fn)(struct uea_check *check, struct json_object *fep,
			    const char *peer, struct json_object *rail,
			    void *arg);
void uea_check_each_path(struct uea_check *check, uea_path_fn fn, void *arg);

/* check_hash.c */
void uea_check_hash(struct uea_check *check, struct json_object *fep);

/* check_host.c */
struct ifreq;
int uea_dev_ioctl(const char *dev, unsigned long request, struct ifreq *ifr);
bool uea_mac_of(const char *dev, uint8_t *mac);
bool uea_vrf_of(const char *dev, char *master);
bool uea_check_master(struct uea_check *check, struct json_object *rail);
void uea_check_link(struct uea_check *check, struct json_object *rail);
void uea_check_addr(struct uea_check *check, struct json_object *fep);
void uea_check_symmetry(struct uea_check *check, struct json_object *fep);
void uea_check_filter(struct uea_check *check, struct json_object *fep);
void uea_check_port(struct uea_check *check);
void uea_check_clock(struct uea_check *check);

/* check_count.c */
void uea_check_count_begin(struct uea_check *check);
void uea_check_count_wait(struct uea_check *check);
int uea_check_count(struct uea_check *check);
uint64_t uea_check_change(const struct uea_check *check, struct json_object *now,
			  const char *kind, const char *name);

/* check_path.c */
int uea_check_paths(struct uea_check *check);

/* check_cc.c */
int uea_check_congestion(struct uea_check *check);

/* check_refused.c */
#define UEA_CHECK_NO_PDC	"no-pdc-space"	/* counter of PDCs that peers did not get */
void uea_check_holders(const struct uea_check *check, char *buf, size_t size);
int uea_check_refusals(struct uea_check *check);

/* check_netns.c */
bool uea_netns_of(const char *dev, char *name, size_t size);

/* check_route.c */
void uea_route_via(char *via, size_t size, const char *from, const char *to,
		   unsigned int ifindex);
void uea_check_routes(struct uea_check *check);

/* check_sd.c */
void uea_check_sds(struct uea_check *check);

/* check_wall.c */
void uea_check_walls(struct uea_check *check);
void uea_read_connections(struct uea_check *check);
void uea_check_connections(struct uea_check *check);

/**
 * uea_each() - the elements of an array in a record
 * @record: the record
 * @key: of the array
 * @i: number of the element
 *
 * Return: the element; NULL behind the last, and if there is no such array.
 */
static inline struct json_object *uea_each(struct json_object *record,
					   const char *key, size_t i)
{
	struct json_object *array = json_object_object_get(record, key);

	if (!array || i >= json_object_array_length(array))
		return NULL;
	return json_object_array_get_idx(array, i);
}

/* Same for an array itself. */
static inline struct json_object *uea_nth(struct json_object *array, size_t i)
{
	return i < json_object_array_length(array) ?
	       json_object_array_get_idx(array, i) : NULL;
}

#endif
