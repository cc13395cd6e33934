//go:build !js || headless

package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ghostcube/net/link"
	"ghostcube/sim/scene"
)

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." placeholder:"SHELL"`
}

// Help returns the detailed help.
func (c *completionCommand) Help() string {
	return `
Completes commands, flags, and the names of scenes, strategies, presets, networks, tapes,
comparisons and lessons. zsh wants the file in a folder of $fpath, fish in
~/.config/fish/completions.

Examples:
  source <(ghostcube completion bash)
  ghostcube completion zsh > _ghostcube
  ghostcube completion fish > ghostcube.fish
`
}

// Run prints the script.
func (c *completionCommand) Run(p *program) error {
	shells := map[string]func(io.Writer, []completedCommand){"bash": writeBash, "zsh": writeZsh, "fish": writeFish}
	if err := checkChoice("shell", c.Shell, "bash", "zsh", "fish"); err != nil {
		return err
	}
	commands, err := completedCommands(p)
	if err != nil {
		return err
	}
	shells[c.Shell](p.Stdout, commands)
	return nil
}

// completedCommand is a command with what can follow it.
type completedCommand struct {
	name, help string
	values     []string // of its first argument
	flags      []completedFlag
}

// completedFlag is a flag and its values.
type completedFlag struct {
	name, help string
	short      rune     // 0: none
	boolean    bool     // it takes no value
	values     []string // known ones; empty: a file
}

// completedCommands returns the commands of the program. The first has no name: it is the default command, whose flags stand
// alone.
func completedCommands(p *program) ([]completedCommand, error) {
	names, err := completedNames(p)
	if err != nil {
		return nil, err
	}
	parser, err := p.newParser(&arguments{})
	if err != nil {
		return nil, err
	}
	commands := []completedCommand{{}}
	for _, n := range parser.Model.Children {
		c := completedCommand{name: n.Name, help: n.Help, values: names[n.Name]}
		for _, f := range slices.Concat(n.Flags, parser.Model.Flags) {
			c.flags = append(c.flags, completedFlag{f.Name, f.Help, f.Short, f.IsBool(), names["--"+f.Name]})
		}
		if n == parser.Model.DefaultCmd {
			commands[0].flags = c.flags
		}
		commands = append(commands, c)
	}
	var all []string
	for _, c := range commands[1:] {
		all = append(all, c.name)
	}
	return append(commands, completedCommand{name: "help", help: "Explain a command.", values: all}), nil
}

// completedNames returns the names that flags and first arguments of commands take.
func completedNames(p *program) (map[string][]string, error) {
	comparisons, err := p.library.Comparisons()
	if err != nil {
		return nil, err
	}
	lessons, err := p.library.Lessons()
	if err != nil {
		return nil, err
	}
	names := map[string][]string{
		"--scene": scene.Names(), "--panes": p.library.PaneNames(), "--network": link.ProfileNames(), "--tape": p.library.TapeNames(),
		"--seat": {"client", "host"}, "network": link.ProfileNames(), "list": listKinds, "completion": {"bash", "zsh", "fish"},
	}
	for i := range comparisons {
		names["--compare"] = append(names["--compare"], comparisons[i].Name)
	}
	for i := range lessons {
		names["--lesson"] = append(names["--lesson"], lessons[i].Name)
	}
	names["tour"] = names["--lesson"]
	return names, nil
}

// words returns the name of a command and its flags, or of all commands without a name.
func (c *completedCommand) words(all []completedCommand) (words []string) {
	words = slices.Clone(c.values)
	if c.name == "" {
		for i := range all[1:] {
			words = append(words, all[i+1].name)
		}
	}
	for _, f := range c.flags {
		words = append(words, "--"+f.name)
	}
	return words
}

// writeBash prints a script for bash 3.2 and later. A value of several names is completed behind its last comma.
func writeBash(out io.Writer, commands []completedCommand) {
	fmt.Fprint(out, `# Completion of ghostcube for bash, made by: ghostcube completion bash
_ghostcube() {
    local word=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]} words= head=
    if [[ $word == = ]]; then
        word=
    elif [[ $flag == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    fi
    COMPREPLY=()
    case $flag in
`)
	known := map[string]bool{}
	for i := range commands {
		for _, f := range commands[i].flags {
			if f.boolean || known[f.name] {
				continue
			}
			known[f.name] = true
			name := "--" + f.name
			if f.short != 0 {
				name += " | -" + string(f.short)
			}
			if len(f.values) == 0 {
				fmt.Fprintf(out, "    %s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", name)
			} else {
				fmt.Fprintf(out, "    %s) words='%s' ;;\n", name, strings.Join(f.values, " "))
			}
		}
	}
	fmt.Fprint(out, "    *)\n        local command=\n        [[ COMP_CWORD -gt 1 ]] && command=${COMP_WORDS[1]}\n        case $command in\n")
	for i := range commands[1:] {
		c := &commands[i+1]
		fmt.Fprintf(out, "        %s) words='%s' ;;\n", c.name, strings.Join(c.words(commands), " "))
	}
	fmt.Fprintf(out, `        *) words='%s' ;;
        esac
        ;;
    esac
    [[ $word == *,* ]] && head=${word%%,*},
    COMPREPLY=($(compgen -P "$head" -W "$words" -- "${word##*,}"))
}
complete -F _ghostcube ghostcube
`, strings.Join(commands[0].words(commands), " "))
}

// writeZsh prints a function for zsh.
func writeZsh(out io.Writer, commands []completedCommand) {
	escape := strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace
	fmt.Fprint(out, `#compdef ghostcube
# Completion of ghostcube for zsh, made by: ghostcube completion zsh
_ghostcube() {
    local -a commands
    commands=(
`)
	for _, c := range commands[1:] {
		fmt.Fprintf(out, "        '%s:%s'\n", c.name, escape(c.help))
	}
	fmt.Fprint(out, `    )
    if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
        _describe command commands
        return
    fi
    local command=$words[2]
    [[ $command == -* ]] || { shift words; (( CURRENT-- )); }
    case $command in
`)
	arguments := func(pattern string, c *completedCommand) {
		fmt.Fprintf(out, "    %s)\n        _arguments", pattern)
		for _, f := range c.flags {
			value := ""
			switch {
			case f.boolean:
			case len(f.values) > 0:
				value = "=:" + f.name + ":_sequence compadd - " + strings.Join(f.values, " ")
			default:
				value = "=:" + f.name + ":_files"
			}
			name, text := "--"+f.name, value
			if value != "" {
				name, text = name+"=", value[1:]
			}
			fmt.Fprintf(out, " \\\n            '%s[%s]%s'", name, escape(f.help), text)
		}
		if len(c.values) > 0 {
			fmt.Fprintf(out, " \\\n            '1:%s:(%s)'", c.name, strings.Join(c.values, " "))
		} else {
			fmt.Fprint(out, " \\\n            '*:file:_files'")
		}
		fmt.Fprint(out, "\n        ;;\n")
	}
	for i := range commands[1:] {
		arguments(commands[i+1].name, &commands[i+1])
	}
	arguments("*", &commands[0])
	fmt.Fprint(out, `    esac
}
if [ "$funcstack[1]" = _ghostcube ]; then
    _ghostcube "$@"
else
    compdef _ghostcube ghostcube
fi
`)
}

// writeFish prints a script for fish.
func writeFish(out io.Writer, commands []completedCommand) {
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	fmt.Fprint(out, "# Completion of ghostcube for fish, made by: ghostcube completion fish\n")
	for i := range commands {
		c := &commands[i]
		condition := cmp.Or(map[bool]string{true: "__fish_use_subcommand"}[c.name == ""], "__fish_seen_subcommand_from "+c.name)
		if c.name != "" {
			fmt.Fprintf(out, "complete -c ghostcube -f -n __fish_use_subcommand -a %s -d %s\n", c.name, quote(c.help))
		}
		if len(c.values) > 0 {
			fmt.Fprintf(out, "complete -c ghostcube -f -n %s -a %s\n", quote(condition), quote(strings.Join(c.values, " ")))
		}
		for _, f := range c.flags {
			fmt.Fprintf(out, "complete -c ghostcube -n %s -l %s", quote(condition), f.name)
			if f.short != 0 {
				fmt.Fprintf(out, " -s %c", f.short)
			}
			switch {
			case f.boolean:
			case len(f.values) > 0:
				fmt.Fprintf(out, " -x -a %s", quote(strings.Join(f.values, " ")))
			default:
				fmt.Fprint(out, " -r")
			}
			fmt.Fprintf(out, " -d %s\n", quote(f.help))
		}
	}
}
