// SPDX-License-Identifier: GPL-2.0
/*
 * What the evidence of a path says: the first rule that holds names the cause.  The order
 * of the rules is that of their evidence.  A packet counts as lost outside only if the tap
 * saw it leave and saw no answer.
 */
#include <string.h>

#include <linux/uet_nl.h>

#include "check_probe.h"

/**
 * struct case_of - what is to be judged
 * @check: run
 * @paths: all paths
 * @path: one of them
 * @object: "rail DEV"
 * @text: what a rule has found out, for its sentence
 */
struct case_of {
	struct uea_check *check;
	struct uea_paths *paths;
	struct uea_path *path;
	char object[UEA_CHECK_TEXT];
	char text[UEA_CHECK_TEXT];
};

/* Of which paths a rule is; of the first two kinds one rule at most is told of a path. */
enum kind {
	DEAD,	/* no answer */
	ALIVE,	/* answers */
	ANY,
};

enum of {
	RAIL,
	PEER,
};

/**
 * struct rule - a cause
 * @kind: of which paths
 * @of: PEER: it is told once for all rails
 * @holds: whether the evidence of a path shows it
 * @tell: adds the finding
 */
struct rule {
	enum kind kind;
	enum of of;
	bool (*holds)(struct case_of *c);
	void (*tell)(const struct case_of *c);
};

static const char *fep_of(const struct uea_path *path)
{
	return uea_text_of(path->fep, "name");
}

static bool is_sealed(const struct uea_path *path)
{
	return !strcmp(uea_text_of(path->fep, "protect"), "tss");
}

static bool has_tap(const struct case_of *c)
{
	return c->paths->tap >= 0 && !c->paths->is_blind;
}

/* NO_OPs sent, each time counted. */
static unsigned int all_sent(const struct uea_path *path)
{
	return path->sent + path->retx;
}

static unsigned int lost(const struct uea_path *path)
{
	return all_sent(path) - path->answered;
}

static void format_macs(char *buf, size_t size, const struct uea_macs *macs)
{
	unsigned int i;
	size_t used = 0;

	for (i = 0; i < macs->nr && used < size; i++)
		used += snprintf(buf + used, size - used,
				 "%s%02x:%02x:%02x:%02x:%02x:%02x", i ? ", " : "",
				 macs->addr[i][0], macs->addr[i][1],
				 macs->addr[i][2], macs->addr[i][3],
				 macs->addr[i][4], macs->addr[i][5]);
}

static bool is_table_full(const struct uea_check *check)
{
	return check->conn_max && check->conn_count * 100 >= check->conn_max * 95;
}

/* Name the likely cause of packets that this host dropped on their way in or out. */
static void name_dropper(const struct case_of *c, char *buf, size_t size)
{
	const struct uea_check *check = c->check;

	if (is_table_full(check))
		snprintf(buf, size, "its connection table is full, %u of %u",
			 check->conn_count, check->conn_max);
	else if (check->wall[0])
		snprintf(buf, size, "firewall rule \"%s\"", check->wall);
	else
		snprintf(buf, size, "no rule that drops was found");
}

/* ------------------------------------------------------- paths without answer */

static void tell_all_lost(const struct case_of *c, const char *fix)
{
	uea_found(c->check, UEA_ERROR, c->object, fix,
		  "all packets to %s are lost: none of %u UET packets and none of %u ICMP packets was answered",
		  c->path->peer, c->path->sent, c->path->icmp_sent);
}

static bool is_queue_shut(struct case_of *c)
{
	return has_tap(c) && !c->path->left && c->path->queue_drops;
}

static void tell_queue_shut(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "the queue %s of this host dropped %u packets: tc -s qdisc show dev %s",
		 path->queue, path->queue_drops, path->dev);
	tell_all_lost(c, fix);
}

static bool is_dumb(struct case_of *c)
{
	return c->path->is_dumb;
}

static void tell_dumb(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix), "ip neigh show dev %s; VLAN, cable, ip addr show  (at %s)",
		 path->dev, path->via);
	uea_found(c->check, UEA_ERROR, c->object, fix,
		  "the next hop %s does not answer %s, its neighbour entry is FAILED: wrong VLAN or cable, or nobody has the address; so none of %u packets to %s was answered",
		  path->via, strchr(path->via, ':') ? "neighbour solicitation" : "ARP",
		  path->sent, path->peer);
}

static bool is_kept_here(struct case_of *c)
{
	return has_tap(c) && !c->path->left && c->path->sent;
}

static void tell_kept(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char why[2 * UEA_CHECK_TEXT];

	name_dropper(c, why, sizeof(why));
	uea_found(c->check, UEA_ERROR, c->object,
		  "nft list ruleset; iptables-save; ueadm stats",
		  "this host drops what it sends to %s: none of %u packets left the rail: %s",
		  path->peer, path->sent, why);
}

/* The FEP counts what it drops itself; the packets of others do not come here. */
static bool is_dropped_here(struct case_of *c)
{
	return has_tap(c) && c->path->came && c->paths->rx_drops < c->path->came;
}

static void tell_dropped(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char why[2 * UEA_CHECK_TEXT];

	name_dropper(c, why, sizeof(why));
	uea_found(c->check, UEA_ERROR, c->object,
		  "nft list ruleset; iptables-save; sysctl net.ipv4.conf.all.rp_filter",
		  "%s answers, and this host drops the answers: %u came in, none reached fep %s: %s",
		  path->peer, path->came, fep_of(path), why);
}

static bool is_stale(struct case_of *c)
{
	const struct uea_path *path = c->path;
	unsigned int i;

	for (i = 0; i < path->via_macs.nr; i++) {
		if (!memcmp(path->mac, path->via_macs.addr[i], UEA_MAC_LEN))
			return false;
	}
	return path->has_mac && path->via_macs.nr;
}

static void tell_stale(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	struct uea_macs old = { .nr = 1 };
	char now[UEA_CHECK_TEXT], before[32], fix[UEA_CHECK_TEXT];

	memcpy(old.addr[0], path->mac, UEA_MAC_LEN);
	format_macs(before, sizeof(before), &old);
	format_macs(now, sizeof(now), &path->via_macs);
	snprintf(fix, sizeof(fix), "ip neigh del %s dev %s", path->via, path->dev);
	uea_found(c->check, UEA_ERROR, c->object, fix,
		  "the neighbour entry of %s is stale: packets go to %s, but %s answers ARP for it; none of %u packets to %s was answered",
		  path->via, before, now, path->sent, path->peer);
}

static bool is_lost(struct case_of *c)
{
	return !c->path->icmp_small && !c->path->came && !c->path->refused &&
	       !c->path->rejected;
}

static void tell_lost(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[2 * UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "ip neigh show dev %1$s; ip -s link show dev %1$s; tc -s qdisc show dev %1$s; the same at %2$s, and the switch",
		 path->dev, path->peer);
	tell_all_lost(c, fix);
}

static bool has_small_mtu(struct case_of *c)
{
	return c->path->icmp_small && !c->path->icmp_full;
}

static void tell_mtu(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	unsigned int need = uea_number_of(path->fep, "need-mtu");
	char fix[UEA_CHECK_TEXT];

	if (path->queue_drops) {
		snprintf(fix, sizeof(fix), "tc -s qdisc show dev %s; larger burst or limit",
			 path->dev);
		uea_found(c->check, UEA_ERROR, c->object, fix,
			  "the queue %s of this host drops packets of %u bytes to %s: %u dropped; short ones were answered",
			  path->queue, need, path->peer, path->queue_drops);
		return;
	}
	snprintf(fix, sizeof(fix),
		 "ip link set dev NETDEV mtu %u  (at %s and in the switches)",
		 need, path->peer);
	uea_found(c->check, UEA_ERROR, c->object, fix,
		  "the MTU at %s or on the path to it is below %u: %u of %u short packets were answered, none of %u bytes",
		  path->peer, need,
		  path->icmp_small ? path->icmp_small : path->answered,
		  path->icmp_small ? path->icmp_sent : path->sent, need);
}

static bool has_other_key(struct case_of *c)
{
	return is_sealed(c->path);
}

static void tell_key(const struct case_of *c)
{
	const char *name = uea_text_of(c->path->fep, "sd");
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "sd %s", name);
	snprintf(fix, sizeof(fix),
		 "ueadm sd show %s, here and at %s, and sha256sum of the key files",
		 name, c->path->peer);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "the peer %s opens none of our packets: it has another key, or another number or epoch of the key; it answers ICMP, and none of %u sealed packets",
		  c->path->peer, c->path->sent);
}

/* Does the peer answer over another rail of the FEP? */
static bool is_answered_elsewhere(const struct case_of *c)
{
	const struct uea_path *path = c->path, *other;

	for (other = c->paths->list; other < c->paths->list + c->paths->nr; other++) {
		if (other->answered && other->fep == path->fep && !strcmp(other->peer, path->peer))
			return true;
	}
	return false;
}

/* Ports that are tried: the one from which packets come decides over which rail the answers go. */
#define ANSWER_PORTS	8

/*
 * The peer gets packets of this path, and answers those whose answers may take another rail. It
 * has answered probes over such a rail, so it knows them.
 */
static bool loses_answers(struct case_of *c)
{
	const struct uea_path *path = c->path;
	bool has_crc = !strcmp(uea_text_of(path->fep, "protect"), "crc");
	int i;

	if (strcmp(uea_text_of(path->fep, "encap"), "udp") || !is_answered_elsewhere(c))
		return false;
	for (i = 0; i < ANSWER_PORTS; i++) {
		if (uea_craft_crc(c->paths, path, has_crc))
			return true;
	}
	return false;
}

/* The same where nothing came at all, not even an answer that this host then dropped. */
static bool is_one_way(struct case_of *c)
{
	return is_lost(c) && loses_answers(c);
}

static void tell_answers_lost(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[2 * UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "tc -s qdisc show, nft list ruleset, for the rail at %s; the switch, from there to %s",
		 path->peer, path->dev);
	uea_found(c->check, UEA_ERROR, c->object, fix,
		  "packets to %s get there, but what it answers over this rail is lost: none of %u answers came, and over another rail it answers",
		  path->peer, path->sent);
}

/* Whether the peer uses the CRC, and this FEP does not, or the reverse. */
static bool has_other_crc(struct case_of *c)
{
	return !strcmp(uea_text_of(c->path->fep, "encap"), "udp") &&
	       uea_craft_crc(c->paths, c->path,
			     strcmp(uea_text_of(c->path->fep, "protect"), "crc"));
}

static void tell_crc(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	const char *here = uea_text_of(path->fep, "protect");
	const char *there = strcmp(here, "crc") ? "crc" : "none";
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "fep %s", fep_of(path));
	snprintf(fix, sizeof(fix), "give %s and the FEP at %s the same protect",
		 fep_of(path), path->peer);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "it has protect %s, but the peer %s has protect %s: none of %u packets was answered, and those with protect %s were",
		  here, path->peer, there, path->sent, there);
}

static bool is_elsewhere(struct case_of *c)
{
	return uea_craft_other(c->paths, c->path, c->text, sizeof(c->text));
}

static void tell_elsewhere(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	bool is_port = !strncmp(c->text, "port", 4);
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "fep %s", fep_of(path));
	snprintf(fix, sizeof(fix), "give %s and the FEP at %s the same %s",
		 fep_of(path), path->peer, is_port ? "port" : "encap");
	uea_found(c->check, UEA_ERROR, object, fix,
		  "it has %s %s, but the peer %s has %s: packets with that were answered, none of %u others",
		  is_port ? "port" : "encap",
		  uea_text_of(path->fep, is_port ? "port" : "encap"), path->peer,
		  c->text, path->sent);
}

static bool is_rejected(struct case_of *c)
{
	return c->path->rejected;
}

static void tell_rejected(const struct case_of *c)
{
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "peer %s", c->path->peer);
	snprintf(fix, sizeof(fix), "nft list ruleset; iptables-save  (at %s)",
		 c->path->peer);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "a firewall there rejects our packets: it sent %u ICMP messages, prohibited",
		  c->path->rejected);
}

static bool is_absent(struct case_of *c)
{
	return c->path->refused;
}

static void tell_absent(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "peer %s", path->peer);
	snprintf(fix, sizeof(fix), "ueadm fep show; ueadm check  (at %s)", path->peer);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "no FEP has this address with encap %s%s%s there: it answered %u packets with ICMP, unreachable, and packets to ports near by and in the other encap not at all",
		  uea_text_of(path->fep, "encap"),
		  strcmp(uea_text_of(path->fep, "encap"), "udp") ? "" : ", port ",
		  strcmp(uea_text_of(path->fep, "encap"), "udp") ? "" :
		  uea_text_of(path->fep, "port"), path->refused);
}

static bool always(struct case_of *c)
{
	(void)c;
	return true;
}

static void tell_silent(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "peer %s", path->peer);
	snprintf(fix, sizeof(fix), "ueadm fep show; ueadm check  (at %s)",
		 path->peer);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "it answers ICMP over rail %s, but none of %u UET packets that left: its firewall drops them, or its FEP cannot send",
		  path->dev, path->sent);
}

/* ---------------------------------------------------------- paths with answers */

static void tell_share(const struct case_of *c, unsigned int part, const char *fix,
		       const char *more)
{
	unsigned int all = all_sent(c->path);
	/* Where the cause is known, it goes first. */
	bool is_error = *more && 2 * part >= all;

	uea_found(c->check, is_error ? UEA_ERROR : UEA_WARNING, c->object, fix,
		  "about %u %% of the packets to %s are lost: %u of %u%s",
		  (100 * part + all / 2) / all, c->path->peer, part, all, more);
}

/* One may be lost while an address is resolved. */
static bool has_loss(const struct uea_path *path)
{
	return lost(path) > 1 && lost(path) * 100 >= all_sent(path);
}

static bool is_corrupted(struct case_of *c)
{
	return has_loss(c->path) && c->paths->crc > 1 && c->paths->crc * 4 >= lost(c->path);
}

static void tell_corrupted(const struct case_of *c)
{
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "ethtool -S %1$s; ethtool -k %1$s; the cable, and the same at %2$s",
		 c->path->dev, c->path->peer);
	uea_found(c->check, UEA_WARNING, c->object, fix,
		  "packets from %s come in corrupted: %ju had a wrong CRC here, and %u of %u requests had to be sent again: a NIC, a cable, or an offload",
		  c->path->peer, (uintmax_t)c->paths->crc, lost(c->path),
		  all_sent(c->path));
}

/* All that left was answered, later than the time-out. */
static bool is_slow(struct case_of *c)
{
	const struct uea_path *path = c->path;

	return path->retx && has_tap(c) &&
	       path->came * 100 >= path->left * 95 &&
	       path->rtt_ns > uea_number_of(path->fep, "rto-init-ns");
}

static void tell_slow(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix), "ueadm fep set %s rto-init %jums; or find the queue or detour",
		 fep_of(path), (uintmax_t)(path->rtt_ns / 500000 + 1));
	uea_found(c->check, UEA_WARNING, c->object, fix,
		  "nothing is lost, but answers of %s come late: the RTT is %.1f ms, above rto-init of %.1f ms, so %u of %u requests were sent again in vain",
		  path->peer, path->rtt_ns / 1e6,
		  uea_number_of(path->fep, "rto-init-ns") / 1e6, path->retx,
		  path->sent);
}

static bool is_queued_away(struct case_of *c)
{
	return has_loss(c->path) && c->path->queue_drops * 2 >= lost(c->path);
}

static void tell_queued_away(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "the queue %s of this host dropped %u packets: tc -s qdisc show dev %s",
		 path->queue, path->queue_drops, path->dev);
	tell_share(c, lost(path), fix, "");
}

static bool has_dead_values(struct case_of *c)
{
	struct uea_path *path = c->path;

	if (!has_loss(path) || lost(path) * 20 < all_sent(path) ||
	    is_sealed(path) || strcmp(uea_text_of(path->fep, "encap"), "udp"))
		return false;
	uea_craft_values(c->paths, path);
	/* Where any packet may be lost, the others lose some as well. */
	return path->dead_values * 6 >= path->values &&
	       path->live_percent >= 75;
}

static void tell_values(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "the ECMP or LAG members of the switches of plane %u", path->plane);
	uea_found(c->check, UEA_WARNING, c->object, fix,
		  "%u of %u entropy values lose every packet to %s, the others do not: one of several equal paths is dead; about %u %% are lost",
		  path->dead_values, path->values, path->peer,
		  100 * lost(path) / all_sent(path));
}

/* Each entropy value is a connection, so some have a place and others do not. */
static bool has_no_place(struct case_of *c)
{
	return has_loss(c->path) && is_table_full(c->check);
}

/* @how: the packets were lost. */
static void tell_lost_here(const struct case_of *c, const char *how, const char *fix)
{
	char why[2 * UEA_CHECK_TEXT], more[3 * UEA_CHECK_TEXT];

	name_dropper(c, why, sizeof(why));
	snprintf(more, sizeof(more), "%s: %s", how, why);
	tell_share(c, lost(c->path), fix, more);
}

static void tell_no_place(const struct case_of *c)
{
	tell_lost_here(c, " in this host",
		       "sysctl net.netfilter.nf_conntrack_max, or a notrack rule");
}

static bool is_half_dropped_here(struct case_of *c)
{
	const struct uea_path *path = c->path;

	return has_loss(path) && has_tap(c) &&
	       path->came * 100 >= path->left * 98 &&
	       path->came > path->answered + lost(path) / 2 + c->paths->rx_drops;
}

static void tell_half_dropped(const struct case_of *c)
{
	tell_lost_here(c, ", after they came in here", "nft list ruleset; iptables-save");
}

static bool is_lossy(struct case_of *c)
{
	return has_loss(c->path) &&
	       !(has_tap(c) && c->path->came * 100 >= c->path->left * 99);
}

static void tell_loss(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char fix[UEA_CHECK_TEXT];

	snprintf(fix, sizeof(fix),
		 "ip -s link show dev %1$s; tc -s qdisc show dev %1$s; the same at %2$s, and the switch",
		 path->dev, path->peer);
	tell_share(c, lost(path), fix, "");
}

/* ------------------------------------------------ what holds beside all others */

/* ICMP alone may be filtered, and its answer may come by another rail. */
static bool loses_long(struct case_of *c)
{
	return c->path->answered && !c->path->long_answered && !c->path->icmp_full;
}

static bool has_twins(struct case_of *c)
{
	return c->path->via_macs.nr > 1 || c->path->peer_macs.nr > 1;
}

static void tell_twins(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	bool is_peer = path->peer_macs.nr > 1;
	char macs[UEA_CHECK_TEXT], object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	format_macs(macs, sizeof(macs), is_peer ? &path->peer_macs : &path->via_macs);
	snprintf(object, sizeof(object), "peer %s", path->peer);
	snprintf(fix, sizeof(fix), "arping -D -I %s %s; ip neigh show dev %s",
		 path->dev, is_peer ? path->peer : path->via, path->dev);
	uea_found(c->check, UEA_ERROR, object, fix,
		  "several nodes answer for %s on rail %s: %s",
		  is_peer ? path->peer : path->via, path->dev, macs);
}

static const struct uea_path *by_netdev(const struct case_of *c,
					unsigned int ifindex)
{
	size_t i;

	for (i = 0; i < c->paths->nr; i++) {
		if (c->paths->list[i].ifindex == ifindex)
			return &c->paths->list[i];
	}
	return NULL;
}

static bool is_crossed(struct case_of *c)
{
	return c->path->hop_dev && c->path->hop_dev != c->path->ifindex &&
	       by_netdev(c, c->path->hop_dev);
}

static void tell_crossed(const struct case_of *c)
{
	const struct uea_path *path = c->path, *other = by_netdev(c, path->hop_dev);

	uea_found(c->check, UEA_ERROR, c->object,
		  "swap the cables, or give both ends of each cable the same plane",
		  "this rail of plane %u reaches plane %u: what it sends to %s is answered over rail %s",
		  path->plane, other->plane, path->via, other->dev);
}

/* The Payload MTU of the peer, as it refuses READs; 0: it does not tell. */
static unsigned int mtu_of(const struct uea_path *path)
{
	const unsigned int all = (1U << UEA_SIZES) - 1;
	unsigned int i;

	if (path->read_answered != all || !path->read_refused)
		return 0;
	for (i = 0; !(path->read_refused & 1U << i); i++)
		;
	/* All that are larger, and not the smallest. */
	return i && path->read_refused == (all & ~((1U << i) - 1)) ?
	       UEA_SIZE_MIN << (i - 1) : 0;
}

static bool has_other_mtu(struct case_of *c)
{
	unsigned int there = mtu_of(c->path);

	return there && there != uea_number_of(c->path->fep, "mtu");
}

static void tell_other_mtu(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	unsigned int here = uea_number_of(path->fep, "mtu"), there = mtu_of(path);
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];

	snprintf(object, sizeof(object), "fep %s", fep_of(path));
	snprintf(fix, sizeof(fix),
		 "ueadm fep del and add with mtu %u, %s", here > there ? here : there,
		 here > there ? "at the peer" : "here");
	uea_found(c->check, UEA_ERROR, object, fix,
		  "its Payload MTU is %u, but that of the peer %s is %u: they must be equal, else messages and READs fail",
		  here, path->peer, there);
}

static void list_jobs(char *buf, size_t size, const struct uea_path *path,
		      unsigned int from, unsigned int end, uint64_t mask)
{
	unsigned int i;
	size_t used = 0;

	*buf = 0;
	for (i = from; i < end && used < size; i++) {
		if (mask & 1ULL << i)
			used += snprintf(buf + used, size - used, "%s%u",
					 used ? ", " : "", path->jobs[i]);
	}
}

static bool has_no_job(struct case_of *c)
{
	const struct uea_path *path = c->path;

	return path->nr_own && path->nr_jobs > path->nr_own && path->lacks_job;
}

static void tell_jobs(const struct case_of *c)
{
	const struct uea_path *path = c->path;
	char object[UEA_CHECK_TEXT], fix[UEA_CHECK_TEXT];
	char here[UEA_CHECK_TEXT / 2], there[UEA_CHECK_TEXT / 2];

	list_jobs(here, sizeof(here), path, 0, path->nr_own, ~0ULL);
	list_jobs(there, sizeof(there), path, path->nr_own, path->nr_jobs,
		  path->has_job);
	snprintf(object, sizeof(object), "peer %s", path->peer);
	snprintf(fix, sizeof(fix), "ueadm job add %s feps FEP  (there)", here);
	if (there[0])
		uea_found(c->check, UEA_WARNING, object, fix,
			  "its FEP has no job of fep %s: here is %s, there is %s: what is sent to it is refused",
			  fep_of(path), here, there);
	else
		uea_found(c->check, UEA_WARNING, object, fix,
			  "its FEP has no job of fep %s: here is %s, and of 1 to 32 none is there: what is sent to it is refused",
			  fep_of(path), here);
}

/* ----------------------------------------------------------------- judgement */

/* The more the evidence excludes, the earlier. */
static const struct rule rules[] = {
	{ DEAD, RAIL, is_queue_shut, tell_queue_shut },
	{ DEAD, RAIL, is_dumb, tell_dumb },
	{ DEAD, RAIL, is_kept_here, tell_kept },
	{ DEAD, RAIL, is_stale, tell_stale },
	{ DEAD, RAIL, is_one_way, tell_answers_lost },
	{ DEAD, RAIL, is_lost, tell_lost },
	{ DEAD, RAIL, has_small_mtu, tell_mtu },
	{ DEAD, RAIL, is_dropped_here, tell_dropped },
	{ DEAD, PEER, has_other_key, tell_key },
	{ DEAD, RAIL, loses_answers, tell_answers_lost },
	{ DEAD, PEER, has_other_crc, tell_crc },
	{ DEAD, PEER, is_elsewhere, tell_elsewhere },
	{ DEAD, PEER, is_rejected, tell_rejected },
	{ DEAD, PEER, is_absent, tell_absent },
	{ DEAD, PEER, always, tell_silent },
	{ ALIVE, RAIL, is_corrupted, tell_corrupted },
	{ ALIVE, RAIL, is_slow, tell_slow },
	{ ALIVE, RAIL, is_queued_away, tell_queued_away },
	{ ALIVE, RAIL, has_no_place, tell_no_place },
	{ ALIVE, RAIL, has_dead_values, tell_values },
	{ ALIVE, RAIL, is_half_dropped_here, tell_half_dropped },
	{ ALIVE, RAIL, is_lossy, tell_loss },
	{ ANY, RAIL, loses_long, tell_mtu },
	{ ANY, RAIL, is_crossed, tell_crossed },
	{ ANY, PEER, has_twins, tell_twins },
	{ ANY, PEER, has_other_mtu, tell_other_mtu },
	{ ANY, PEER, has_no_job, tell_jobs },
};

#define NR_RULES	(sizeof(rules) / sizeof(rules[0]))

static bool was_told(const struct case_of *c, unsigned int bit)
{
	const struct uea_path *other;

	for (other = c->paths->list; other < c->path; other++) {
		if (other->fep == c->path->fep && other->told & bit &&
		    !strcmp(other->peer, c->path->peer))
			return true;
	}
	return false;
}

static void judge(struct case_of *c)
{
	struct uea_path *path = c->path;
	bool is_done = !path->sent;
	unsigned int i;

	snprintf(c->object, sizeof(c->object), "rail %s", path->dev);
	for (i = 0; i < NR_RULES; i++) {
		if (rules[i].kind != ANY &&
		    (is_done || rules[i].kind != (path->answered ? ALIVE : DEAD)))
			continue;
		if (rules[i].of == PEER && was_told(c, 1U << i)) {
			is_done = true;
			continue;
		}
		if (!rules[i].holds(c))
			continue;
		path->told |= 1U << i;
		rules[i].tell(c);
		is_done = true;
	}
}

/**
 * uea_check_judge() - tell the cause of what is wrong with each path
 * @check: run
 * @paths: the paths, with all evidence
 */
void uea_check_judge(struct uea_check *check, struct uea_paths *paths)
{
	struct case_of c = { .check = check, .paths = paths };
	size_t i;

	uea_read_connections(check);
	for (i = 0; i < paths->nr; i++) {
		c.path = &paths->list[i];
		judge(&c);
	}
}
