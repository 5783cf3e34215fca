// SPDX-License-Identifier: GPL-2.0
/*
 * Detects firewalls that drop packets for FEPs.  The rules are read as nft(8)
 * and iptables-save(8) print them.  The rules are not simulated: suspicious
 * lines are printed, and the reader decides.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <linux/uet_nl.h>

#include "check.h"

/**
 * struct wall - a text of rules
 * @check: run
 * @port: port as text in rules
 * @is_shut: a chain drops packets that none of its rules accepts
 * @is_open: a rule accepts the port
 * @has_notrack: a rule exempts the port from connection tracking
 * @is_inward: the rules that follow see packets that come in or pass through
 * @chain: first line of the dropping chain
 */
struct wall {
	struct uea_check *check;
	const char *port;
	bool is_shut;
	bool is_open;
	bool has_notrack;
	bool is_inward;
	char chain[UEA_CHECK_TEXT];
};

/* Checks whether @word is a whole word in @line. */
static bool has_word(const char *line, const char *word)
{
	size_t length = strlen(word);
	const char *at = line;

	while ((at = strstr(at, word))) {
		if ((at == line || !isalnum(at[-1])) && !isalnum(at[length]))
			return true;
		at += length;
	}
	return false;
}

static bool drops(const char *line)
{
	return has_word(line, "drop") || has_word(line, "reject") ||
	       has_word(line, "DROP") || has_word(line, "REJECT");
}

/* Any other rule that drops: no finding alone, but a cause if packets vanish in this host. */
static void note_drop(struct wall *wall, const char *text)
{
	if (drops(text) && !wall->check->wall[0] && !strstr(text, "hook") &&
	    text[0] != ':')
		snprintf(wall->check->wall, sizeof(wall->check->wall), "%s", text);
}

static unsigned int read_conn(const char *name)
{
	char path[UEA_CHECK_TEXT];
	unsigned int value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/netfilter/nf_conntrack_%s", name);
	f = fopen(path, "re");
	if (f && fscanf(f, "%u", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

/**
 * uea_read_connections() - read the fill of the connection table
 * @check: run
 */
void uea_read_connections(struct uea_check *check)
{
	check->conn_count = read_conn("count");
	check->conn_max = read_conn("max");
}

/**
 * uea_check_connections() - check that the firewall does not track the packets of FEPs
 * @check: run, behind the probes
 *
 * Each entropy value is a connection for a stateful firewall.
 */
void uea_check_connections(struct uea_check *check)
{
	char fix[2 * UEA_CHECK_TEXT];

	uea_read_connections(check);
	if (!check->conn_count || !check->udp_port || check->has_notrack)
		return;
	snprintf(fix, sizeof(fix),
		 "in chains of hook prerouting and output, priority raw: nft add rule inet TABLE CHAIN udp dport %u notrack",
		 check->udp_port);
	uea_found(check, check->conn_count * 10ULL >= check->conn_max * 9ULL ?
		  UEA_WARNING : UEA_HINT, "firewall", fix,
		  "the firewall tracks connections, and each entropy value is one: its table has %u of %u entries; when it is full, packets are dropped",
		  check->conn_count, check->conn_max);
}

static void read_rule(struct wall *wall, const char *line)
{
	const char *text = line + strspn(line, " \t");

	/* Both forms of an input chain that drops by default. */
	if (strstr(line, "policy drop") ? strstr(line, "hook input") != NULL :
					  !strncmp(text, ":INPUT DROP", 11)) {
		wall->is_shut = true;
		snprintf(wall->chain, sizeof(wall->chain), "%s", text);
	}
	if (!strncmp(text, "chain ", 6))
		wall->is_inward = false;
	else if (strstr(line, " hook "))
		wall->is_inward = !strstr(line, "hook output") &&
				  !strstr(line, "hook postrouting");
	wall->has_notrack |= has_word(line, wall->port) &&
			     (has_word(line, "notrack") ||
			      strstr(line, "-j CT") != NULL);
	note_drop(wall, text);
	if (!has_word(line, wall->port) || !has_word(line, "udp"))
		return;
	if (has_word(line, "accept") || has_word(line, "ACCEPT"))
		wall->is_open = true;
	/* The packets of a program have its user, but only on their way out. */
	if (!drops(line) || (wall->is_inward && strstr(line, "skuid")))
		return;
	snprintf(wall->check->wall, sizeof(wall->check->wall), "%s", text);
	uea_found(wall->check, UEA_WARNING, "firewall",
		  "nft -a list ruleset; iptables-save",
		  "a rule looks as if it drops UET packets: %s", text);
}

static void read_rules(struct wall *wall, const char *command)
{
	FILE *f = popen(command, "re");
	char line[512], fix[UEA_CHECK_TEXT];

	if (!f)
		return;
	wall->is_shut = false;
	wall->is_open = false;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		read_rule(wall, line);
	}
	pclose(f);
	if (!wall->is_shut || wall->is_open)
		return;
	snprintf(fix, sizeof(fix),
		 "nft insert rule inet TABLE input udp dport %s accept",
		 wall->port);
	uea_found(wall->check, UEA_WARNING, "firewall", fix,
		  "input is dropped unless a rule accepts it, and no rule names UDP port %s: %s",
		  wall->port, wall->chain);
}

/**
 * uea_check_walls() - check that firewalls pass the packets of FEPs
 * @check: run
 */
void uea_check_walls(struct uea_check *check)
{
	struct wall wall = { .check = check };
	struct json_object *fep;
	uint64_t port, last = 0;
	char text[8];
	size_t i;

	for (i = 0; (fep = uea_nth(check->feps, i)); i++) {
		port = uea_number_of(fep, "port");
		if (strcmp(uea_text_of(fep, "encap"), "udp") || port == last)
			continue;
		last = port;
		snprintf(text, sizeof(text), "%u", (unsigned int)port);
		wall.port = text;
		read_rules(&wall, "nft -n list ruleset 2> /dev/null");
		read_rules(&wall, "iptables-save 2> /dev/null");
		check->udp_port = port;
		check->has_notrack |= wall.has_notrack;
	}
}
