# A program that serves HTTP on a free port, told by its first line, for as
# long as the test lives.
package TransferBench::Server;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::INET;
use IPC::Open3;
use JSON::PP;
use PostgreSQL::Test::Utils;

my @running;

# Starts a program; the port is the last number of the first line that it
# prints. Its standard error goes to a file in the log directory.
#
# Options: name, command, lines (how many to wait for), scheme, environment.
sub start
{
	my ($class, %options) = @_;
	my $self = bless { name => $options{name}, scheme => $options{scheme} // 'http' }, $class;
	my $log = "$PostgreSQL::Test::Utils::log_path/$options{name}_" . scalar(@running) . ".log";

	local %ENV = (%ENV, %{ $options{environment} // {} });
	open my $errors, '>>', $log or die "could not open $log: $!";
	$self->{pid} =
	  open3($self->{stdin}, $self->{stdout}, '>&' . fileno $errors, @{ $options{command} });
	push @running, $self;

	my $text = '';
	my $ready = IO::Select->new($self->{stdout});
	while (($text =~ tr/\n//) < ($options{lines} // 1))
	{
		$ready->can_read($PostgreSQL::Test::Utils::timeout_default)
		  && sysread($self->{stdout}, $text, 4096, length $text)
		  or die "$options{name} did not start: " . slurp_file($log);
	}
	$self->{first_lines} = [ split /\n/, $text ];
	($self->{port}) = $self->{first_lines}[0] =~ /(\d+)\D*$/
	  or die "$options{name} named no port: $text";
	return $self;
}

sub pid
{
	my ($self) = @_;
	return $self->{pid};
}

sub port
{
	my ($self) = @_;
	return $self->{port};
}

sub first_lines
{
	my ($self) = @_;
	return @{ $self->{first_lines} };
}

# URL of a path. Parameters are bytes; every byte that could mean something is
# percent-encoded, in the order given.
sub url
{
	my ($self, $path, @parameters) = @_;
	my $host = $self->{host} // '127.0.0.1';
	my @pairs;

	while (my ($name, $value) = splice @parameters, 0, 2)
	{
		$value =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ge;
		push @pairs, "$name=$value";
	}
	return "$self->{scheme}://$host:$self->{port}$path" . (@pairs ? '?' . join('&', @pairs) : '');
}

# GET without any library: status line, head and body as bytes. For bodies
# that end with the connection or have a Content-Length.
sub get
{
	my ($self, $path) = @_;
	my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $self->{port})
	  or die "could not connect to $self->{name}: $@";

	print $socket "GET $path HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
	local $/;
	my $answer = <$socket>;
	my ($head, $body) = split /\r\n\r\n/, $answer, 2;
	return ($head, $body);
}

# The scripted server's log of requests: hashes of line, headers (names in
# lower case), connection and sequence (1 for a connection's first).
sub requests
{
	my ($self) = @_;
	my (undef, $body) = $self->get('/requests');
	return @{ decode_json($body) };
}

sub forget_requests
{
	my ($self) = @_;
	$self->get('/reset_requests');
	return;
}

# Ends the program; returns its wait status.
sub stop
{
	my ($self) = @_;
	my $pid = delete $self->{pid} or return;

	# the scripted server leaves when its input ends, others on the signal
	close $self->{stdin};
	kill 'TERM', $pid;
	local $?;
	waitpid $pid, 0;
	return $?;
}

END
{
	local $?;
	$_->stop for @running;
}

1;
