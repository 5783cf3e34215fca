// SPDX-License-Identifier: GPL-2.0
/*
 * The usage text of uetfabric.  uetfabric(1) explains each option.  Level: test.
 */
#include "report.h"

/**
 * fab_usage() - print the usage text
 * @out: output stream
 */
void fab_usage(FILE *out)
{
	fprintf(out,
		"usage: uetfabric NETWORK FLOWS [OPTION]...   a line of figures for each run\n"
		"       uetfabric --gates [--quick]           figures it has to meet, as TAP\n"
		"network\n"
		"  --nodes N        so many hosts (those of the matrix, else 128)\n"
		"  --tiers 2|3      (3)    --oversub N   hosts for each uplink of a ToR (1)\n"
		"  --shape PODS,TORS,HOSTS,AGGS,UPS[,TOR-LINKS[,AGG-LINKS]]\n"
		"                   instead of these; UPS 0: two tiers; parallel links (1)\n"
		"  --topo FILE      instead of these, a .topo file of htsim\n"
		"  --gpus N         hosts of a server, each at a ToR of its own (1)\n"
		"  --rails N        planes, a NIC in each (1)\n"
		"  --mbps N         of a link (100000)   --wire-ns N    delay of a link (1000)\n"
		"  --switch-ns N    delay of a switch (0)\n"
		"  --packet N       bytes of a full packet on the wire (4150)\n"
		"  --queue N        full packets in a queue (1 BDP, without trimming 5)\n"
		"  --ecn-low N, --ecn-high N             the same, for marks (0.2, 0.8 BDP)\n"
		"  --no-trim        full queues drop\n"
		"  --fault host|tor|agg:RAIL:NODE:UP:PERCENT[,up|,down][,scaled][,from=US][,until=US]\n"
		"                   rate left of a link, 0 dead; scaled: its queue and marks, too\n"
		"  --slow-host HOST:PERCENT[,from=US][,until=US]\n"
		"                   rate at which a host takes in data\n"
		"  --host-buffer N  bytes that a slow host stores (1000000)\n"
		"  --loss N         data packets lost by chance, of a million (0)\n"
		"  --jitter US      mean of a random delay of four of five data packets (0)\n"
		"flows\n"
		"  --tm FILE        connection matrix of htsim, - is stdin\n"
		"  --permutation, --incast N, --all-to-all N, --ring N\n"
		"  --slice N        each host to N others, one after the other\n"
		"  --rings N, --trees   all-reduce on each rail of --gpus: N steps of a ring; a\n"
		"                   whole tree\n"
		"  --size BYTES     of each flow (2000000)\n"
		"  --short BYTES    flows up to this size are urgent (0)\n"
		"  --prio N         flows of the matrix with a prio below this are urgent (0)\n"
		"end points\n"
		"  --path single|oblivious|reps|map|mixed (oblivious)   --paths N (128)\n"
		"  --cc none|constant|nscc|nscc-spec|nscc-htsim (none)\n"
		"       rccc|rccc-spec|rccc+nscc|rccc+nscc-htsim\n"
		"  --window N       percent of a BDP, of the constant one (150)\n"
		"  --ack-bytes N    received bytes that make an ACK, 0 each packet (16384)\n"
		"  --rto-us N (1000)   --track N  PSNs of a PDC\n"
		"  --reorder-us N   an overtaken packet is lost after a round trip and this\n"
		"                   (0: 1.125 times the least round trip)\n"
		"  --credit-run N   bytes of credit for a source before the next one (0: four packets)\n"
		"  --credit-rate N  granted part of the rate, thousandths (990)\n"
		"  --whole-start    first windows do not depend on the number of destinations\n"
		"  --freeze-us N    time after a loss without new values, REPS (400)\n"
		"  --tail-us N      silence before a Probe (0: three base RTTs)\n"
		"  --set NAME=VALUE any parameter of PDCs and contexts; a wrong name lists them\n"
		"  --cold           PDCs are opened by the first packets\n"
		"  --own-pdcs       each flow has a PDC and a context of its own\n"
		"run\n"
		"  --seed N (1)     --seeds N  runs with seeds from that on (1)\n"
		"  --settle-us N    measure delays and queues from then on (0)\n"
		"  --jobs N         runs at a time (1)\n"
		"  --end-us N       end after this simulated time (1000000)\n"
		"  --wall-s N       end after this time on the clock; progress on stderr:\n"
		"  --progress       each second, with the time left (if stderr is a terminal)\n"
		"  --json, --csv    form of the figures\n"
		"  --flows FILE     a line of CSV for each flow\n"
		"  --queues FILE, --windows FILE, --links FILE\n"
		"                   CSV over time, a sample each --trace-us N (1)\n");
}
