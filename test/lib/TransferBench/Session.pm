# A database session that takes one statement after another through one psql,
# and tells the parts of an error: SQLSTATE, message, detail, hint, context.
#
# A statement can be sent and its end awaited later, so that something can be
# done to it meanwhile.
package TransferBench::Session;

use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Utils;

# Options: user, dbname, settings (a hash of parameters, set at once).
sub new
{
	my ($class, $node, %options) = @_;
	my $connection = $node->connstr($options{dbname} // 'postgres');
	$connection .= " user=$options{user}" if $options{user};

	my $self = bless { stdin => '', stdout => '', stderr => '', statements => 0 }, $class;
	$self->{timer} = IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default);
	$self->{psql} = IPC::Run::start(
		[   $node->installed_command('psql'),
			'-XqAt', '-d', $connection, '-v', 'ON_ERROR_STOP=0', '-v', 'VERBOSITY=verbose',
			'-P', 'null=(null)' ],
		'<',
		\$self->{stdin},
		'>',
		\$self->{stdout},
		'2>',
		\$self->{stderr},
		$self->{timer});
	my %settings = %{ $options{settings} // {} };
	$self->value("SELECT set_config('$_', '$settings{$_}', false)") for sort keys %settings;
	$self->{pid} = $self->value('SELECT pg_backend_pid()');
	return $self;
}

# Process id of the backend.
sub pid
{
	my ($self) = @_;
	return $self->{pid};
}

# Starts a statement and returns at once.
sub send
{
	my ($self, $sql) = @_;
	my $separator = 'end of statement ' . ++$self->{statements};

	$self->{end} = qr/^\Q$separator\E\n/m;
	$self->{stdin} .= "$sql\n;\n\\echo '$separator'\n\\warn '$separator'\n";
	$self->{timer}->start;
	$self->{psql}->pump_nb;
	return;
}

# Waits for the end of what was sent. Returns a hash:
#   output   rows, fields parted by '|'
#   errors   all that psql said besides
#   error    the error: a hash of severity, sqlstate, message, detail, hint, context;
#            missing when there was none
#   notices  the same of each warning and notice
#   lost     true when the connection is gone
sub finish
{
	my ($self) = @_;
	my $lost = 0;

	until ($self->{stdout} =~ $self->{end} && $self->{stderr} =~ $self->{end})
	{
		# psql leaves when the server is gone
		if (!$self->{psql}->pumpable)
		{
			$lost = 1;
			last;
		}
		eval { $self->{psql}->pump; 1 } or do
		{
			die $@ unless $@ =~ /process ended prematurely|Broken pipe/;
			$lost = 1;
			last;
		};
	}

	my ($output, $errors) = @$self{qw(stdout stderr)};
	@$self{qw(stdout stderr)} = ('', '');
	s/$self->{end}// for $output, $errors;
	chomp $output;
	my @messages = parse_messages($errors);
	my ($error) = grep { $_->{severity} =~ /^(ERROR|FATAL|PANIC)$/ } @messages;
	return {
		output => $output,
		errors => $errors,
		error => $error,
		notices => [ grep { $_->{severity} !~ /^(ERROR|FATAL|PANIC)$/ } @messages ],
		lost => $lost, };
}

# Runs a statement, whatever comes of it.
sub run
{
	my ($self, $sql) = @_;

	$self->send($sql);
	return $self->finish;
}

# Output of a statement that must succeed.
sub value
{
	my ($self, $sql) = @_;
	my $result = $self->run($sql);

	die "\"$sql\" failed: $result->{errors}" if $result->{error} || $result->{lost};
	return $result->{output};
}

# What Ctrl-C does: SIGINT to psql, which sends a cancel request.
sub interrupt
{
	my ($self) = @_;
	$self->{psql}->signal('INT');
	return;
}

sub quit
{
	my ($self) = @_;

	return if $self->{over}++;
	eval {
		$self->{stdin} .= "\\q\n";
		$self->{psql}->finish;
	};
	return;
}

# Splits psql's verbose messages into their fields.
sub parse_messages
{
	my ($text) = @_;
	my (@messages, $field);

	for my $line (split /\n/, $text)
	{
		if (   $line =~ /^([A-Z]+\d?):  (?:([0-9A-Z]{5}): )?(.*)$/
			&& $1 !~ /^(DETAIL|HINT|CONTEXT|LOCATION|QUERY)$/)
		{
			push @messages, { severity => $1, sqlstate => $2 // '', message => $3 };
			$field = 'message';
		}
		elsif ($line =~ /^(DETAIL|HINT|CONTEXT|LOCATION|QUERY|LINE \d+):\s+(.*)$/ && @messages)
		{
			$field = lc $1;
			$messages[-1]{$field} = $2;
		}
		elsif (@messages)
		{
			$messages[-1]{$field} .= "\n$line";
		}
	}
	return @messages;
}

sub DESTROY
{
	my ($self) = @_;
	local ($@, $?, $!);

	$self->quit unless ${^GLOBAL_PHASE} eq 'DESTRUCT';
	return;
}

1;
