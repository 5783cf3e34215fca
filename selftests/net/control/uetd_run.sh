# SPDX-License-Identifier: GPL-2.0
#
# uetd as a service manager would run it, one on each node, and what it tells that
# and the journal: for tests of uetd, which source it behind lib.sh.
# shellcheck shell=bash

# start_manager: the doubles of service manager and journal that uetd talks to
start_manager()
{
	mkdir -p /run/systemd/journal
	chmod 755 "$TMP"
	start manager 1 notified "$TMP/notify" /run/systemd/journal/socket
	wait_for "the service manager listens" 30 grep -q ready "$TMP/manager.out"
	listen
}

# write_conf NODE LINE...: its file; \n in a line separates
write_conf()
{
	local file=$TMP/uetd$1.conf
	shift
	printf '%b\n' "$@" > "$file"
}

# start_uetd NODE: as a service manager would, with a journal, which is known by
# what stderr is, as nobody and with one capability
start_uetd()
{
	# The service manager makes it, for the user of the service.
	install -d -m 1777 /run/uet
	# shellcheck disable=SC2016 # for the inner shell
	start "uetd$1" "$1" env NOTIFY_SOCKET="$TMP/notify" WATCHDOG_USEC=1000000 \
		sh -c 'JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) \
			exec "$@"' sh \
		setpriv --reuid 65534 --regid 65534 --clear-groups \
		--inh-caps=-all,+net_admin --ambient-caps=-all,+net_admin \
		--bounding-set=-all,+net_admin --no-new-privs \
		uetd -c "$TMP/uetd$1.conf"
}

# reports LINE: count of reports to the service manager or the journal
reports()
{
	grep -cxE -- "$1" "$TMP/manager.out"
}

# was_reported LINE COUNT: at least COUNT reports
was_reported()
{
	compare "$(reports "$1")" -ge "$2"
}

# told LINE: only since the last call of listen
told()
{
	tail -n +"$manager_line" "$TMP/manager.out" | grep -qxE -- "$1"
}

listen()
{
	manager_line=$(($(wc -l < "$TMP/manager.out") + 1))
}

# reload NODE TEXT: and wait until it is done
reload()
{
	listen
	kill -HUP "${PID[uetd$1]}"
	wait_for "$2: uetd begins to reload" 30 told 'notify RELOADING=1'
	wait_for "$2: uetd is ready again" 30 told 'notify READY=1'
}

# traffic_goes_on TEXT: of the transfer in the background
traffic_goes_on()
{
	local progress

	progress=$(progress tx)
	check "$1: traffic goes on" \
		busywait 30 progress_is tx -gt $((progress + 1))
}
