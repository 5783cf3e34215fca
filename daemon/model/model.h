/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects of uetd: rails, secure domains, FEPs and jobs, in one form for
 * the configuration and the kernel, so that both can be compared; and netdevs
 * with their addresses, as the kernel has them.  No function here does I/O.
 * Level: tool.
 */
#ifndef UETD_MODEL_H
#define UETD_MODEL_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/uet_nl.h>

#include "param.h"

#define UETD_RAIL_NAME_MAX	15	/* length of a netdev name, which is the default */
#define UETD_MAC_LEN		6
#define UETD_VIAS_MAX		8	/* next hops to a peer */
#define UETD_AN_NR		2	/* association numbers of a domain */
#define UETD_PATH_MAX		200	/* more than a line of a file has */
#define UETD_NO_GROUP		UINT32_MAX
#define UETD_TEXT_MAX		256	/* a line about an object, for people */

struct uetd_section;
struct uetd_secret;

/**
 * struct uetd_addr - an IP address
 * @family: AF_INET or AF_INET6; 0: none
 * @bytes: network order, zero behind an IPv4 address
 */
struct uetd_addr {
	uint8_t family;
	uint8_t bytes[16];
};

/* How a rail of a configuration identifies its netdev. */
enum uetd_match {
	UETD_MATCH_NAME,
	UETD_MATCH_MAC,
	UETD_MATCH_ADDR,
};

/**
 * struct uetd_rail - a rail
 * @name: of a configuration, its section; of the kernel, its netdev
 * @match: configuration: which of the next three identifies the netdev
 * @dev: configuration: name of the netdev
 * @mac: configuration: hardware address of the netdev
 * @addr: configuration: the netdev has an address in this network
 * @prefix: configuration: prefix length of @addr, bits
 * @plane: fabric plane
 * @is_ingress: packets are taken before IP sees them
 * @ifindex: of the netdev; 0 in a configuration
 * @is_managed: kernel: the files of uetd name it, or did
 * @section: configuration: section in the file, while files are being read
 */
struct uetd_rail {
	char name[UETD_RAIL_NAME_MAX + 1];
	enum uetd_match match;
	char dev[IF_NAMESIZE];
	uint8_t mac[UETD_MAC_LEN];
	struct uetd_addr addr;
	unsigned int prefix;
	uint32_t plane;
	bool is_ingress;
	int ifindex;
	bool is_managed;
	const struct uetd_section *section;
};

/**
 * struct uetd_rules - the rules of a secure domain, as "ueadm sd add" has them
 * @sdi: secure domain identifier
 * @mode: UET_SD_MODE_*
 * @is_client: this end is a client of mode server
 * @is_v6: its FEPs have IPv6 addresses
 * @has_ssi: packets carry an SSI that identifies their source
 * @ssi: SSI of this node
 * @rekey_mask: bits of the counter that make another key
 * @rekey_shift: by how many they are shifted to the right
 * @epoch_age: epochs that a packet may be older than the local epoch
 * @seal_limit: packets that a key may seal
 * @fail_limit: number of forged packets after which the domain is shut
 */
struct uetd_rules {
	uint32_t sdi;
	uint8_t mode;
	bool is_client;
	bool is_v6;
	bool has_ssi;
	uint32_t ssi;
	uint64_t rekey_mask;
	uint8_t rekey_shift;
	uint16_t epoch_age;
	uint64_t seal_limit;
	uint64_t fail_limit;
};

/**
 * struct uetd_sa - an association number of a domain of the kernel
 * @is_set: it has a key
 * @is_used: the key seals outgoing packets
 * @epoch: local epoch of the key
 * @number: number of the key, assigned by uetd
 * @check: check value of the key's source; 0: the key is not uetd's
 */
struct uetd_sa {
	bool is_set;
	bool is_used;
	uint16_t epoch;
	uint32_t number;
	uint32_t check;
};

/**
 * struct uetd_sd - a secure domain
 * @name: unique
 * @rules: rules of the domain, actual or requested
 * @key_file: configuration: name of the key file, or empty
 * @credential: configuration: the same as a credential of the service, or empty
 * @rotation: configuration: seconds that a key is used; 0: for ever
 * @overlap: configuration: seconds that a key is accepted before and after its period
 * @epoch: configuration: without @rotation, that of the key
 * @number: configuration: without @rotation, that of the key
 * @check: configuration: identifies the key of the file without revealing it; 0: none
 * @since: configuration: when the file arrived, seconds since 1970
 * @secret: configuration: the key; belongs to the configuration
 * @sa: kernel: by association number
 * @revoked: kernel: checks of keys that must not be set again, 0: none
 * @is_shut: kernel: fail_limit was reached
 * @is_managed: kernel: the files of uetd name it, or did
 * @section: configuration: section in the file, while files are being read
 */
struct uetd_sd {
	char name[UET_NAME_LEN_MAX + 1];
	struct uetd_rules rules;
	char key_file[UETD_PATH_MAX];
	char credential[UETD_PATH_MAX];
	uint32_t rotation;
	uint32_t overlap;
	uint16_t epoch;
	uint32_t number;
	uint32_t check;
	uint64_t since;
	const struct uetd_secret *secret;
	struct uetd_sa sa[UETD_AN_NR];
	uint32_t revoked[UETD_AN_NR];
	bool is_shut;
	bool is_managed;
	const struct uetd_section *section;
};

/**
 * struct uetd_fep - a FEP
 * @name: unique
 * @addr: fabric address
 * @scope_id: ifindex of a link-local address; 0 in a configuration
 * @mtu: Payload MTU, bytes
 * @encap: UET_ENCAP_*
 * @port: UDP port, or 0
 * @proto: IP protocol number, or 0
 * @protect: UET_PROTECT_*
 * @dscp: UET_DSCP_NONE for none
 * @choice: UET_HEADERS_*, UET_CC_ALGO_*, UET_PATHS_*
 * @sd: secure domain, with UET_PROTECT_TSS only
 * @param: parameters of its PDCs
 * @nr_rails: configuration: number of @rail; else of @ifindex
 * @rail: configuration: names of rails
 * @ifindex: kernel: netdevs of the existing rails; configuration on a
 *	host: netdevs whose MTU is large enough, followed by those whose MTU
 *	is too small
 * @nr_gone: kernel: number of @gone
 * @gone: kernel: rails whose netdevs are gone, with their last names
 * @needs_all: configuration: the FEP is created only when all its rails exist
 * @is_ready: configuration on a host: the FEP can be created now
 * @is_managed: kernel: the files of uetd name it, or did
 * @section: configuration: section in the file, while files are being read
 */
struct uetd_fep {
	char name[UET_NAME_LEN_MAX + 1];
	struct uetd_addr addr;
	uint32_t scope_id;
	uint32_t mtu;
	uint8_t encap;
	uint16_t port;
	uint8_t proto;
	uint8_t protect;
	uint8_t dscp[UETD_DSCP_NR];
	uint8_t choice[UETD_CHOICE_NR];
	char sd[UET_NAME_LEN_MAX + 1];
	uint64_t param[UETD_P_NR];
	unsigned int nr_rails;
	char rail[UET_FEP_RAILS_MAX][UETD_RAIL_NAME_MAX + 1];
	int ifindex[UET_FEP_RAILS_MAX];
	unsigned int nr_gone;
	struct uetd_rail gone[UET_FEP_RAILS_MAX];
	bool needs_all;
	bool is_ready;
	bool is_managed;
	const struct uetd_section *section;
};

/* Relation between a job and the bus. */
enum uetd_bus_made {
	UETD_BUS_NOT,		/* not made over the bus */
	UETD_BUS_KEPT,		/* made over the bus, and its maker is connected */
	UETD_BUS_LEFT,		/* made over the bus, and its maker has left */
};

/**
 * struct uetd_job - a job
 * @id: JobID
 * @name: for people, may be empty
 * @uid: owner
 * @gid: group, or UETD_NO_GROUP
 * @pid_min: lowest PIDonFEP
 * @pid_max: highest PIDonFEP
 * @is_inet_only: only sockets of AF_INET and AF_INET6 may be bound
 * @nr_feps: number of @fep
 * @fep: names
 * @endpoints: kernel: number of bound endpoints
 * @descriptors: kernel: number of open descriptors
 * @section: configuration: section in the file, while files are being read
 * @is_managed: kernel: the files of uetd name it, or did
 * @made: kernel: relation to the bus, from the registry
 */
struct uetd_job {
	uint32_t id;
	char name[UET_NAME_LEN_MAX + 1];
	uint32_t uid;
	uint32_t gid;
	uint16_t pid_min;
	uint16_t pid_max;
	bool is_inet_only;
	unsigned int nr_feps;
	char fep[UET_JOB_FEPS_MAX][UET_NAME_LEN_MAX + 1];
	uint32_t endpoints;
	uint32_t descriptors;
	const struct uetd_section *section;
	bool is_managed;
	enum uetd_bus_made made;
};

/**
 * struct uetd_peer - a fabric address of another node, and the next hops to it
 * @name: of the section
 * @addr: the fabric address
 * @nr_vias: number of @rail and @via
 * @rail: names of rails
 * @via: the next hop of each rail
 * @section: where it is from, while files are being read
 */
struct uetd_peer {
	char name[UET_NAME_LEN_MAX + 1];
	struct uetd_addr addr;
	unsigned int nr_vias;
	char rail[UETD_VIAS_MAX][UETD_RAIL_NAME_MAX + 1];
	struct uetd_addr via[UETD_VIAS_MAX];
	const struct uetd_section *section;
};

/**
 * struct uetd_model - actual or requested objects of a network namespace
 * @rails: array
 * @nr_rails: its length
 * @sds: array
 * @nr_sds: its length
 * @feps: array
 * @nr_feps: its length
 * @jobs: array
 * @nr_jobs: its length
 * @peers: configuration: array
 * @nr_peers: its length
 */
struct uetd_model {
	struct uetd_rail *rails;
	size_t nr_rails;
	struct uetd_sd *sds;
	size_t nr_sds;
	struct uetd_fep *feps;
	size_t nr_feps;
	struct uetd_job *jobs;
	size_t nr_jobs;
	struct uetd_peer *peers;
	size_t nr_peers;
};

/**
 * struct uetd_link - a netdev
 * @ifindex: its index
 * @name: its name
 * @mac: its hardware address
 * @has_mac: @mac is valid
 * @mtu: bytes
 * @is_up: the netdev is administratively up
 */
struct uetd_link {
	int ifindex;
	char name[IF_NAMESIZE];
	uint8_t mac[UETD_MAC_LEN];
	bool has_mac;
	uint32_t mtu;
	bool is_up;
};

/**
 * struct uetd_link_addr - an address of a netdev, ready to be used
 * @ifindex: of the netdev
 * @addr: the address
 */
struct uetd_link_addr {
	int ifindex;
	struct uetd_addr addr;
};

/**
 * struct uetd_links - the netdevs of a network namespace
 * @links: array
 * @nr_links: its length
 * @addrs: array
 * @nr_addrs: its length
 */
struct uetd_links {
	struct uetd_link *links;
	size_t nr_links;
	struct uetd_link_addr *addrs;
	size_t nr_addrs;
};

void *uetd_grow(void *array, size_t nr, size_t size);

void uetd_model_free(struct uetd_model *model);
struct uetd_fep *uetd_model_fep(const struct uetd_model *model,
				const char *name);
struct uetd_job *uetd_model_job(const struct uetd_model *model, uint32_t id);

bool uetd_addr_equal(const struct uetd_addr *a, const struct uetd_addr *b);
bool uetd_addr_within(const struct uetd_addr *addr,
		      const struct uetd_addr *net, unsigned int prefix);
bool uetd_addr_is_link_local(const struct uetd_addr *addr);
void uetd_addr_text(char *buf, size_t size, const struct uetd_addr *addr);

void uetd_fep_init(struct uetd_fep *fep);
uint32_t uetd_fep_need_mtu(const struct uetd_fep *fep);
bool uetd_fep_has_ifindex(const struct uetd_fep *fep, int ifindex);
bool uetd_fep_is_same_fixed(const struct uetd_fep *wanted,
			    const struct uetd_fep *fep);
bool uetd_fep_is_same_settings(const struct uetd_fep *a,
			       const struct uetd_fep *b);

bool uetd_rules_equal(const struct uetd_rules *a, const struct uetd_rules *b);

bool uetd_job_has_fep(const struct uetd_job *job, const char *name);
bool uetd_job_is_same(const struct uetd_job *a, const struct uetd_job *b);

void uetd_links_free(struct uetd_links *links);

#endif
