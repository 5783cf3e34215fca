# SPDX-License-Identifier: GPL-2.0
#
# The lines of README.md's fenced blocks, for tests that run them as they are written;
# selftests/readme/lines has which test runs which.
# shellcheck shell=bash

readme_dir=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")

# readme_table: for each line of a block: tests, a tab, the line; "?" if no entry of the
# list begins it, "=" for output of an example and for the rest of a picture.  A line that
# ends with \ has the next one with it.  Entries without a line follow, behind "!".
readme_table()
{
	awk -F '\t' '
		NR == FNR {
			if (/^[^#]/) {
				tests[++n] = $1
				begins[n] = $2
				why[n] = $3
			}
			next
		}
		/^```/ { inside = !inside; shows = 0; next }
		!inside || /^$/ { next }
		{ line = line $0 }
		/\\$/ { sub(/\\$/, "", line); next }
		{
			entry = 0
			for (i = 1; i <= n; i++)
				if (index(line, begins[i]) == 1)
					entry = i
			if (entry) {
				used[entry] = 1
				shows = tests[entry] ~ / output$/ || why[entry] ~ /picture/
			}
			print (entry ? tests[entry] : shows ? "=" : "?") "\t" line
			line = ""
		}
		END {
			for (i = 1; i <= n; i++)
				if (!used[i])
					print "!\t" begins[i]
		}' "$readme_dir/selftests/readme/lines" "$readme_dir/README.md"
}

# runs_line FILE LINE: a test takes all lines of its own, or names the beginning of this one
runs_line()
{
	local begins

	grep -qsE '^[^#]*readme_lines [a-z/]+ *(>|\)|$)' "$1" && return
	while read -r begins; do
		[[ $2 != "$begins"* && $2 != "# $begins"* ]] || return 0
	done < <(sed '/^[[:blank:]]*#/d' "$1" | grep -oE "\"[^\"\$]{6,}\"|'[^'\$]{6,}'" |
		tr -d "\"'")
	return 1
}

# readme_faults: lines that are not in the list, entries without a line or a reason, and tests
# that do not run one of their lines
readme_faults()
{
	local tests line test file

	while IFS=$'\t' read -r tests line; do
		case $tests in
		\?)	echo "README.md: selftests/readme/lines does not have: $line" ;;
		!)	echo "selftests/readme/lines: no line of README.md begins with: $line" ;;
		=)	continue ;;
		esac
		for test in $tests; do
			file=$readme_dir/selftests/$test
			[ ! -e "$file.sh" ] || file+=.sh
			[[ $test = [-?!] || $test = output ]] || runs_line "$file" "$line" ||
				echo "selftests/readme/lines: $test does not run: $line"
		done
	done < <(readme_table)
	awk -F '\t' '$1 == "-" && $3 == "" {
		print "selftests/readme/lines: no reason: " $2
	}' "$readme_dir/selftests/readme/lines"
}

# readme_lines TEST [BEGINNING]: what the test runs, or of that the lines that begin so,
# without comments
readme_lines()
{
	readme_table | awk -F '\t' -v test="$1" -v begins="${2-}" '
		index(" " $1 " ", " " test " ") && index($2, begins) == 1 {
			sub(/^[^\t]*\t/, "")
			sub(/ +#.*/, "")
			print
		}'
}

# readme_output BEGINNING: what the example shows below the command
readme_output()
{
	readme_table | awk -F '\t' -v begins="# $1" '
		$1 != "=" { on = index($2, begins) == 1; next }
		on { print substr($0, 3) }'
}
