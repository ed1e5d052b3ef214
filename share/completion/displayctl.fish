# Completion of displayctl for fish: asks the program what can stand there.
function __displayctl_complete
	set -l token (commandline -ct)
	set -l lines (command displayctl __complete (commandline -opc)[2..-1] "$token" 2>/dev/null)
	if test "$lines" = :
		__fish_complete_path "$token"
	else if set -q lines[1]
		printf '%s\n' $lines
	end
end
complete -c displayctl -f -a '(__displayctl_complete)'
