# Completion of displayctl for bash: asks the program what can stand there.
_displayctl() {
	local word
	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		if [[ $word == : ]]; then
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}")
		else
			COMPREPLY+=("$(printf %q "$word")")
		fi
	done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _displayctl displayctl
