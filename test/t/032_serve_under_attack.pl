# transferbench serve under attack: each attack, by GET and by POST, has the status that is right for
# it, nobody else waits while it lasts, and both halves serve as before when it is over; at the end
# memory and descriptors are what they were.
use strict;
use warnings FATAL => 'all';

use Compress::Zlib;
use IO::Socket::INET;
use IPC::Open3;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Socket qw(SO_LINGER SO_RCVBUF SOL_SOCKET);
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();
{
	my $output = qx(@{[endpoint_program()]} serve --help 2>&1);
	plan skip_all => 'the loader was built without serve' if $output =~ /built without/;
}

use constant {
	ROWS => 100_000,
	# a good request takes milliseconds; what waits for an attacker waits for a time-out of seconds
	PROMPT => 4,
	# of what 1,000 connections and their heads may take
	ROOM => 96 << 20,
	# what the allocator may keep of it, however often they come
	FLAT => 8 << 20,
};

my $IDLE_S = 5;

$SIG{PIPE} = 'IGNORE';

my $node    = start_node('attacked', extension => 0, settings => "max_connections = 40\nrestart_after_crash = on\n");
my $session = TransferBench::Session->new($node);
my $json    = JSON::PP->new->utf8;
my $good_posts = 0;

$session->value($_) for (
	'CREATE TABLE numbers (n bigint PRIMARY KEY, text text)',
	"INSERT INTO numbers SELECT g, repeat(md5(g::text), 4) FROM generate_series(1, @{[ROWS]}) AS g",
	'CREATE TABLE saved (n bigint, t text, j json, a int[])');

# --- requests as bytes ---------------------------------------------------------------------------

sub request_head
{
	my ($line, @fields) = @_;

	return join "\r\n", $line, @fields, '', '';
}

sub get_bytes
{
	my ($target, @fields) = @_;

	return request_head("GET $target HTTP/1.1", 'Host: 127.0.0.1', 'Connection: close', @fields);
}

sub post_bytes
{
	my ($body, @fields) = @_;

	return request_head('POST /save_to_db HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', 'Content-Type: application/json',
		'Content-Length: ' . length $body, @fields) . $body;
}

# A POST whose Content-Length is told apart from its body.
sub post_of_length
{
	my ($length, $body) = @_;

	return request_head('POST /save_to_db HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', 'Content-Type: application/json',
		"Content-Length: $length") . $body;
}

sub post_chunks
{
	my ($chunks, @fields) = @_;

	return request_head('POST /save_to_db HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close', 'Content-Type: application/json',
		'Transfer-Encoding: chunked', @fields) . $chunks;
}

sub chunk
{
	my ($bytes) = @_;

	return sprintf("%x\r\n%s\r\n", length $bytes, $bytes);
}

my $GET  = '/load_from_db?row_limit=1';
my $ROW  = '[{"n":1}]';

# --- a client that sends what it is told, and never waits for ever -------------------------------

sub connect_to
{
	my ($server, $receive_buffer) = @_;
	my $socket = IO::Socket::INET->new(Proto => 'tcp', Type => SOCK_STREAM) or die "no socket: $@";

	setsockopt $socket, SOL_SOCKET, SO_RCVBUF, pack 'i', $receive_buffer if $receive_buffer;
	connect $socket, pack_sockaddr_in($server->port, inet_aton('127.0.0.1')) or die "could not connect: $!";
	$socket->autoflush;
	return $socket;
}

# Sends while it reads, so that neither side waits for the other; to the end of the connection. A
# hash: status ('none' without an answer), statuses (of all answers), head, body, detail (of an error),
# seconds.
sub talk
{
	my ($server, $bytes, %options) = @_;
	my $socket = $options{socket} // connect_to($server);
	my $start = time();
	my ($answer, $sent) = ('', 0);

	$socket->blocking(0);
	while (time() - $start < $PostgreSQL::Test::Utils::timeout_default)
	{
		my ($read, $write) = ('', '');
		vec($read, fileno $socket, 1) = 1;
		vec($write, fileno $socket, 1) = 1 if $sent < length $bytes;
		select $read, $write, undef, 1;
		if ($sent < length $bytes && vec($write, fileno $socket, 1))
		{
			my $count = syswrite $socket, $bytes, 1 << 16, $sent;
			# who was refused need not be read to the end
			$sent = defined $count ? $sent + $count : $!{EAGAIN} ? $sent : length $bytes;
			shutdown $socket, 1 if $sent == length $bytes && $options{half_close};
		}
		next unless vec($read, fileno $socket, 1);
		my $count = sysread $socket, $answer, 1 << 16, length $answer;
		last if defined $count ? $count == 0 : !$!{EAGAIN};
	}
	close $socket;
	my ($head, $body) = split /\r\n\r\n/, $answer, 2;
	my @statuses = $answer =~ m{^HTTP/1\.1 (\d+) }mg;
	my %answer = (status => $statuses[0] // 'none', statuses => \@statuses, head => $head // '', body => $body // '', seconds => time() - $start);
	$answer{detail} = (eval { $json->decode($answer{body}) } // {})->{detail} // '' if $answer{body} =~ /^\{/;
	return \%answer;
}

sub good_get
{
	my ($server) = @_;
	my $answer = talk($server, get_bytes($GET));

	return "$answer->{status} " . ($answer->{body} =~ /(\[\{.*\}\])/ ? $1 : $answer->{body});
}

sub good_post
{
	my ($server) = @_;
	my $answer = talk($server, post_bytes('[{"n":7,"t":"good"}]'));

	$good_posts++ if $answer->{status} eq '200';
	return "$answer->{status} $answer->{body}";
}

# Two assertions: both halves answer right, and soon.
sub all_is_well
{
	my ($server, $name) = @_;
	my $start = time();
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($get, $post) = (good_get($server), good_post($server));

	is("$get\n$post", '200 [{"n":1,"text":"' . 'c4ca4238a0b923820dcc509a6f75849b' x 4 . '"}]' . "\n" . qq(200 {"rows":1}\n), "$name: others are served");
	cmp_ok(time() - $start, '<', PROMPT, "$name: and soon");
	return;
}

# Backends of the endpoint that match.
sub backends
{
	my ($and) = @_;

	return $session->value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'transferbench serve' AND $and");
}

sub usage
{
	my ($server, $method) = @_;
	my $answer = talk($server, request_head(($method // 'GET') . ' /usage HTTP/1.1', 'Host: 127.0.0.1', 'Connection: close'));

	return $json->decode($answer->{body});
}

my $server = start_endpoint($node, '--table', 'numbers', '--save-table', 'saved', '--create-ledger', '--max-body-bytes', '1MiB',
	'--connections', '2', '--write-connections', '2', '--idle-timeout', $IDLE_S, '--queue-timeout', '5');

# what a process needs once is not what an attack costs it
for (1 .. 20)
{
	good_get($server);
	good_post($server);
	talk($server, get_bytes('/load_from_db?row_limit=100000&format=columns'));
	$good_posts += 1000 if talk($server, post_bytes('[' . join(',', ($ROW =~ s/[][]//gr) x 1000) . ']'))->{status} eq '200';
}
for my $bytes ('', request_head('GET /health HTTP/1.1', 'Host: 127.0.0.1'), post_of_length(100_000, '[{"n":1},'))
{
	my @sockets = map { connect_to($server) } 1 .. 1000;
	syswrite $_, $bytes for @sockets;
	all_is_well($server, '1,000 connections for a first time');
}
wait_until(sub { open_descriptors($server->pid) < 100 }, 'the end of the first 1,000');
all_is_well($server, 'before');
my $memory_before      = private_memory($server->pid);
my $descriptors_before = open_descriptors($server->pid);

# --- heads ---------------------------------------------------------------------------------------

# One request after another; each: name, status, detail (undef: the library's own answer, which is
# HTML; '' where rows come), bytes.
sub attack_one
{
	my ($name, $status, $detail, $bytes, %options) = @_;
	my $answer = talk($server, $bytes, %options);
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	$good_posts += () = $answer->{body} =~ /\{"rows":1\}/g;
	is($answer->{status}, $status, "$name: $status");
	like($answer->{detail} // '', $detail, "$name: and why") if ref $detail;
	# an end that comes together with bytes the library may see no sooner than after the idle time
	cmp_ok($answer->{seconds}, '<', PROMPT + ($options{half_close} ? $IDLE_S : 0), "$name: soon");
	all_is_well($server, $name);
	return $answer;
}

my $broken = qr/^the name of a field is none/;
my $controls = qr/^the value of a field has a control character$/;
for my $case (
	[ 'a blank before the colon', 400, $broken, 'X-Any : a' ],
	[ 'a blank before the colon of a Content-Length', 400, $broken, 'Content-Length : 5' ],
	[ 'a blank before the colon of a Transfer-Encoding', 400, $broken, 'Transfer-Encoding : chunked' ],
	[ 'a tab before the colon', 400, $broken, "X-Any\t: a" ],
	[ 'a name that is not ASCII', 400, $broken, "X-\xff: a" ],
	[ 'a name of quotes', 400, $broken, '"X": a' ],
	[ 'a bare carriage return', 400, $controls, "X-Any: a\rContent-Length: 5" ],
	[ 'a control character', 400, $controls, "X-Any: a\x1b[31m" ],
	[ 'a second Host', 400, qr/^Host comes twice$/, 'Host: 127.0.0.1' ],
	[ 'no colon', 400, undef, 'nothing' ],
	[ 'a byte 0 in a name', 400, undef, "X\0: a" ],
	[ 'more fields than fit', 431, undef, ("a: b") x 20000 ],
	[ 'a field that does not fit', 431, undef, 'X-Any: ' . 'x' x 200_000 ],
	[ 'more cookies than fit', 431, undef, 'Cookie: ' . 'a=b;' x 4000 ],
	[ 'a large field that fits', 'good', undef, 'X-Any: ' . 'x' x 20_000 ],
	[ 'a hundred fields', 'good', undef, ('X-Any: x') x 100 ],
	[ 'a value that is not UTF-8', 'good', undef, "X-Any: \xff\xfe" ],
	[ 'a folded field', 'good', undef, "X-Any: a\r\n b" ],
	[ 'an Authorization nobody asked for', 'good', undef, 'Authorization: Bearer ' . "x'; DROP TABLE numbers; --" x 100 ],
	[ 'a coding list without end', 'good', undef, 'Accept-Encoding: ' . 'identity;q=1,' x 1000 ],
	[ 'an Upgrade', 'good', undef, 'Upgrade: h2c' ],
	[ 'an Expect of magic', 'good', undef, 'Expect: magic' ],
	[ 'a Range', 'good', undef, 'Range: bytes=0-' ])
{
	my ($name, $status, $detail, @fields) = @$case;
	my $good = $status eq 'good';
	attack_one("GET, $name", $good ? 200 : $status, $detail, get_bytes($GET, @fields));
	attack_one("POST, $name", $good ? 200 : $status, $detail, post_bytes($ROW, @fields));
}
for my $half ([ "GET $GET", '' ], [ 'POST /save_to_db', $ROW ])
{
	my ($line, $body) = @$half;
	my @rest = ('Connection: close', $body eq '' ? () : ('Content-Type: application/json', 'Content-Length: ' . length $body));

	# the library takes it for the end of the head, and what follows for something else
	attack_one("$line, a field without a name", $body eq '' ? 200 : 401, undef, request_head("$line HTTP/1.1", 'Host: localhost', @rest, ': a') . $body);
	attack_one("$line, no Host", 400, qr/^Host is missing$/, request_head("$line HTTP/1.1", @rest) . $body);
	attack_one("$line, no Host in HTTP/1.0", 200, undef, request_head("$line HTTP/1.0", @rest) . $body);
	attack_one("$line, HTTP/2.0", 505, undef, request_head("$line HTTP/2.0", 'Host: localhost', @rest) . $body);
	attack_one("$line, HTTP/0.9", 400, undef, "$line\r\n\r\n");
	attack_one("$line, another protocol", 400, undef, request_head("$line FTP/1.1", 'Host: localhost', @rest) . $body);
	attack_one("$line, in absolute form", 200, undef, request_head("$line HTTP/1.1" =~ s{ /}{ http://127.0.0.1/}r, 'Host: localhost', @rest) . $body);
	attack_one("$line, cut at its end", 'none', undef, request_head("$line HTTP/1.1", 'Host: localhost') =~ s/\r\n\z//r, half_close => 1);
	attack_one("$line, bare line feeds", 200, undef, request_head("$line HTTP/1.1", 'Host: localhost', @rest) =~ s/\r//gr . $body);
	for my $host ('evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'evillocalhost', 'localhost:x', '[::1', '', '/', "'; DROP TABLE numbers; --")
	{
		attack_one("$line, Host: $host", 421, qr/^without --token-file only requests for localhost or an address/,
			request_head("$line HTTP/1.1", "Host: $host", @rest) . $body);
	}
	for my $host ('localhost', 'LOCALHOST:1', 'app.localhost', '127.0.0.1', '192.0.2.1:80', '[::1]', '[::1]:8000')
	{
		attack_one("$line, Host: $host", 200, undef, request_head("$line HTTP/1.1", "Host: $host", @rest) . $body);
	}
	for my $method ('TRACE', 'CONNECT', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get', 'G' x 3000, "\xff")
	{
		my ($target) = $line =~ / (.*)/;
		attack_one("$target, method " . substr($method =~ s/[^ -~]/?/gr, 0, 10), 405, qr/^only /,
			request_head("$method $target HTTP/1.1", 'Host: localhost', @rest) . $body);
	}
}
attack_one('CONNECT of an authority', 404, qr/^there are /, request_head('CONNECT 127.0.0.1:22 HTTP/1.1', 'Host: localhost', 'Connection: close'));
attack_one('OPTIONS *', 404, qr/^there are /, request_head('OPTIONS * HTTP/1.1', 'Host: localhost', 'Connection: close'));
attack_one('no request at all', 414, undef, "\r\n" x 100_000);
attack_one('TLS', 'none', undef, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" . "\0" x 500 . "\r\n");
attack_one('HTTP/2', 505, undef, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

# --- targets and parameters ----------------------------------------------------------------------

for my $case (
	[ 404, qr/^there are /, '/load_from_db%00' ], [ 404, qr/^there are /, '/load_from_db%00/../info' ], [ 404, qr/^there are /, '//load_from_db' ],
	[ 404, qr/^there are /, '/load_from_db/../info' ], [ 404, qr/^there are /, "/\xff\xfe" ], [ 404, qr/^there are /, '/%' ],
	[ 404, qr/^there are /, '/%c0%ae%c0%ae/' ], [ 404, qr/^there are /, 'load_from_db' ], [ 404, qr/^there are /, '/a b c' ],
	[ 404, qr/^there are /, '/' . 'a' x 3000 ], [ 404, qr/^there are /, "/'; DROP TABLE numbers; --" ],
	[ 403, qr/^there are more than 64 parameters$/, '/load_from_db?' . '&' x 4000 ],
	[ 403, qr/^there are more than 64 parameters$/, '/load_from_db?' . 'a=b&' x 4000 ],
	[ 403, qr/^there are more than 64 parameters$/, '/load_from_db?' . '&' x 64 ],
	[ 403, qr/^"" is no parameter/, '/load_from_db?' . '&' x 63 ],
	[ 414, qr/longer than 16384 bytes/, '/load_from_db?row_limit=' . '1' x 17_000 ],
	[ 414, qr/longer than 16384 bytes/, '/' . 'a' x 60_000 ],
	[ 414, undef, '/' . 'a' x 200_000 ])
{
	my ($status, $detail, $target) = @$case;
	my $shown = length $target > 50 ? substr($target, 0, 40) . '... of ' . length $target : $target =~ s/[^ -~]/?/gr;
	attack_one("GET $shown", $status, $detail, get_bytes($target));
	attack_one("POST $shown", $status, $status == 403 && $detail =~ /is no/ ? qr/^"" is no parameter/ : $detail,
		post_bytes($ROW) =~ s{/save_to_db}{$target =~ s{/load_from_db\?}{/save_to_db?}r}er);
}
my %hostile = (
	403 => [ '-1', '1e309', '9223372036854775808', '-9223372036854775809', '1%3B%20DROP%20TABLE%20numbers', "1'%20OR%20'1'%3D'1", '%FF%FE', '%00', '1%00',
		'%', '%4', '%zz', '0x10', '1,000', '+1', '%201', '1%20', '', 'NaN', '1.0', "\xff", '%C2%A0' . '1', '1' x 30, '9' x 3000, '$1', '%25s%25n', '(SELECT%201)',
		'1--', '1/**/', '%D9%A1' ]);
for my $parameter ('row_limit', 'offset', 'format', 'order_by', 'table', 'query', "'; DROP TABLE numbers; --" =~ s/ /%20/gr)
{
	my $status = $parameter eq 'format' ? 402 : 403;
	for my $value (@{ $hostile{403} })
	{
		my $shown = length $value > 50 ? length($value) . ' characters' : $value =~ s/[^ -~]/?/gr;
		attack_one("GET, $parameter=$shown", $status, qr/./, get_bytes("/load_from_db?$parameter=$value"));
	}
	attack_one("POST, $parameter", 403, qr/is no parameter: a POST takes none$/, post_bytes($ROW) =~ s{/save_to_db}{/save_to_db?$parameter=1}r);
}
for my $parameter ('row_limit', 'offset', 'format')
{
	my $value = $parameter eq 'format' ? 'rows' : 1;
	attack_one("GET, $parameter twice", 403, qr/comes twice$/, get_bytes("/load_from_db?$parameter=$value&$parameter=$value"));
	attack_one("GET, $parameter without a value", 403, qr/has no value$/, get_bytes("/load_from_db?$parameter"));
}

# --- bodies --------------------------------------------------------------------------------------

my $bomb = '[' . ' ' x (64 << 20) . ']';
my $packed = Compress::Zlib::memGzip($bomb);
my $twice = Compress::Zlib::memGzip($packed);
undef $bomb;
my $is_malformed = qr/^expected/;
for my $case (
	# how long it is
	[ 'a body shorter than it should be, then the end', 'none', undef, post_of_length(500, $ROW), half_close => 1 ],
	[ 'a body that is longer than it should be', 200, undef, post_of_length(length $ROW, "$ROW and more") ],
	[ 'a length that cuts the JSON', 401, qr/^expected a row/, post_of_length(9, '[{"n":1},{"n":2}]') ],
	map({ [ "Content-Length: $_", 400, undef, post_of_length($_, $ROW) ] } '-1', 'x', '0x9', '+9', '9 9', '9,9', ''),
	[ 'a length of 20 digits', 413, undef, post_of_length('9' x 20, $ROW) ],
	[ 'a length of 2^63', 413, qr/^the body is longer than --max-body-bytes, 1048576$/, post_of_length('9223372036854775808', $ROW) ],
	[ 'a length beyond the limit', 413, qr/^the body is longer than --max-body-bytes, 1048576$/, post_of_length(1048577, $ROW) ],
	[ 'a body beyond the limit', 413, qr/longer than/, post_bytes('[' . ' ' x (2 << 20) . ']') ],
	[ 'chunks beyond the limit', 413, qr/longer than/, post_chunks(chunk('[' . ' ' x 65536) . chunk(' ' x 65536) x 20 . "0\r\n\r\n") ],
	[ 'a row of 100 MB', 413, qr/longer than/, post_bytes('[{"t":"' . 'x' x 100_000_000 . '"}]') ],
	# chunks
	[ 'no last chunk, then the end', 'none', undef, post_chunks(chunk($ROW)), half_close => 1 ],
	[ 'a chunk of 2^64 - 1, then the end', 'none', undef, post_chunks("ffffffffffffffff\r\n$ROW"), half_close => 1 ],
	[ 'a chunk of 2^68', 413, undef, post_chunks("fffffffffffffffff\r\n$ROW") ],
	[ 'a chunk size of 1,000 digits', 413, undef, post_chunks('9' x 1000 . "\r\n$ROW") ],
	map({ [ 'a chunk size that is ' . s/[^ -~]/?/gr, 400, undef, post_chunks("$_\r\n$ROW\r\n0\r\n\r\n") ] } 'zz', '-1', '0x9', '9 ', '', "9\0"),
	[ 'a chunk that is longer than its size', 400, undef, post_chunks("5\r\n$ROW\r\n0\r\n\r\n") ],
	[ 'an endless chunk extension', 500, undef, post_chunks('9;' . 'e' x 200_000 . "\r\n") ],
	[ 'an endless trailer', 431, undef, post_chunks(chunk($ROW) . "0\r\n" . "X: a\r\n" x 20_000) ],
	[ 'chunks of one byte', 200, undef, post_chunks(join('', map { chunk($_) } split //, $ROW) . "0\r\n\r\n") ],
	[ 'a trailer that tries to be a head', 200, undef, post_chunks(chunk($ROW) . "0\r\nContent-Length: 5\r\nIdempotency-Key: x\r\n\r\n") ],
	# gzip
	[ 'gzip of 64 MiB of blanks', 413, qr/decoded/, post_bytes($packed, 'Content-Encoding: gzip') ],
	[ 'gzip within gzip', 401, $is_malformed, post_bytes($twice, 'Content-Encoding: gzip') ],
	[ 'gzip of gzip, said so', 402, qr/^Content-Encoding/, post_bytes($twice, 'Content-Encoding: gzip, gzip') ],
	[ '30,000 empty members of gzip', 401, $is_malformed, post_bytes(Compress::Zlib::memGzip('') x 30_000, 'Content-Encoding: gzip') ],
	[ 'gzip that is none', 401, qr/not gzip/, post_bytes("\x1f\x8b\x08" . "\xff" x 1000, 'Content-Encoding: gzip') ],
	[ 'gzip that breaks off', 401, qr/not gzip, or not whole/, post_bytes(substr($packed, 0, 20), 'Content-Encoding: gzip') ],
	# JSON
	[ 'arrays, 10^6 deep', 401, qr/at most 256 levels/, post_bytes('[{"j":' . '[' x 1_000_000) ],
	[ 'objects, 10^5 deep', 401, qr/at most 256 levels/, post_bytes('[{"j":' . '{"a":' x 100_000) ],
	[ 'a row at every level', 401, qr/no JSON object|at most 256 levels/, post_bytes('[' x 200 . ']' x 200) ],
	[ 'unterminated', 401, $is_malformed, post_bytes('[{"t":"' . 'x' x 500_000) ],
	[ 'bytes 0', 401, $is_malformed, post_bytes("\0" x 1000) ],
	[ 'a byte 0 in a string', 401, $is_malformed, post_bytes("[{\"t\":\"a\0b\"}]") ],
	[ 'a byte 0 as an escape', 501, qr/^22P05: /, post_bytes('[{"t":"a\u0000b"}]') ],
	[ 'no UTF-8', 401, qr/UTF-8/, post_bytes("[{\"t\":\"\xff\xfe\"}]") ],
	[ 'UTF-8 that is too long', 401, qr/UTF-8/, post_bytes("[{\"t\":\"\xc0\x80\"}]") ],
	[ 'half a surrogate', 401, $is_malformed, post_bytes('[{"t":"\ud800"}]') ],
	[ 'a number of 10^5 digits', 501, qr/^22003: |^22P02: /, post_bytes('[{"n":' . '9' x 100_000 . '}]') ],
	[ 'an exponent of 9 digits', 501, qr/^22003: |^22P02: /, post_bytes('[{"n":1e999999999}]') ],
	[ '10^5 keys that are no columns', 403, qr/^row 1: there is no column "k1"/, post_bytes('[{' . join(',', map { "\"k$_\":1" } 1 .. 50_000) . '}]') ],
	[ 'SQL for a key', 403, qr/^row 1: there is no column/, post_bytes(q{[{"n) VALUES (1); DROP TABLE saved; --":1}]}) ],
	[ 'SQL for a number', 501, qr/^22P02: /, post_bytes(q{[{"n":"1); DROP TABLE saved; --"}]}) ],
	[ 'SQL for an array', 501, qr/^22P02: /, post_bytes(q{[{"a":"1); DROP TABLE saved; --"}]}) ],
	[ 'the marks of COPY', 200, undef, post_bytes('[{"t":"\\\\.\n\\\\N\t"}]') ],
	[ 'SQL for a text', 200, undef, post_bytes(q{[{"t":"'); DROP TABLE saved; --"}]}) ])
{
	my ($name, $status, $detail, $bytes, %options) = @$case;
	attack_one("POST, $name", $status, $detail, $bytes, %options);
}
for my $length ('5', '9223372036854775807', '0005')
{
	attack_one("GET with a body of $length bytes", 401, qr/^a GET brings no body$/, get_bytes($GET, "Content-Length: $length"));
}
attack_one('GET with chunks', 401, qr/^a GET brings no body$/, get_bytes($GET, 'Transfer-Encoding: chunked') . chunk('x' x 100) x 100);

# --- keys ----------------------------------------------------------------------------------------

for my $case (
	[ 200, q('; DROP TABLE transferbench.request_ledger; --) ], [ 200, '%s%n$1{}\\' ], [ 200, '"' ], [ 200, 'k' x 200 ],
	[ 403, '' ], [ 403, ' ' ], [ 403, 'k' x 201 ], [ 403, 'k' x 30_000 ], [ 403, "\xff" ], [ 403, "a\tb" ], [ 403, "\xc3\xa9" ])
{
	my ($status, $key) = @$case;
	my $shown = length $key > 60 ? length($key) . ' bytes' : $key =~ s/[^ -~]/?/gr;
	attack_one("POST, Idempotency-Key: $shown", $status, $status == 403 ? qr/^Idempotency-Key: / : undef, post_bytes($ROW, "Idempotency-Key: $key"));
}
is($session->value('SELECT count(*) FROM transferbench.request_ledger'), 4, 'the ledger holds the good keys');

# --- many at once --------------------------------------------------------------------------------

# Opens connections, sends each of them bytes; others are served meanwhile, memory is bounded. Returns
# the sockets.
sub attack_many
{
	my ($name, $count, $bytes, %options) = @_;
	my $before = private_memory($server->pid);
	my @sockets = map { connect_to($server, $options{receive_buffer}) } 1 .. $count;

	for my $socket (@sockets)
	{
		syswrite $socket, ref $bytes ? $bytes->() : $bytes;
		shutdown $socket, 1 if $options{half_close};
	}
	all_is_well($server, $name);
	memory_within(private_memory($server->pid) - $before, $options{room} // ROOM, "$name: memory is bounded");
	return \@sockets;
}

# The first statuses of what comes on them until their end, as a hash of counts.
sub outcomes
{
	my ($sockets) = @_;
	my %count;

	$count{ talk($server, '', socket => $_)->{status} }++ for @$sockets;
	return \%count;
}

sub let_go
{
	my ($sockets, $name) = @_;

	close $_ for @$sockets;
	wait_until(sub { open_descriptors($server->pid) <= $descriptors_before + 2 }, "the end of $name");
	all_is_well($server, "after $name");
	return;
}

{
	my $sockets = attack_many('1,000 connections that say nothing', 1000, '');
	is_deeply(outcomes($sockets), { none => 1000 }, '1,000 connections that say nothing: closed after the idle time');

	$sockets = attack_many('1,000 connections that were used once', 1000, request_head('GET /health HTTP/1.1', 'Host: 127.0.0.1'));
	is_deeply(outcomes($sockets), { 200 => 1000 }, '1,000 connections that were used once: answered, and closed after the idle time');

	let_go(attack_many('1,000 connections that go without a word', 1000, '', half_close => 1), '1,000 connections that went');

	for my $half ([ 'GET', "GET $GET HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " ], [ 'POST', post_of_length(100_000, '[{"t":"') ])
	{
		my ($method, $start) = @$half;
		my $name = "300 that send a $method byte by byte";
		my $slow = attack_many($name, 300, $start);

		for my $round (1 .. 4)
		{
			syswrite $_, 'x' for @$slow;
			sleep 0.5;
		}
		all_is_well($server, "$name, for longer than a while");
		let_go($slow, $name);
	}
	$sockets = attack_many('1,000 half requests', 1000, 'GET /load_from_db?row_limit=1 HT');
	is_deeply(outcomes($sockets), { none => 1000 }, '1,000 half requests: closed after the idle time');
	my @bodies = (post_of_length(500, $ROW), post_chunks(chunk($ROW)), post_chunks("8000000000000000\r\n$ROW"), post_chunks(''), post_chunks('9'));
	my @next;
	$sockets = attack_many('100 bodies without an end, of 5 kinds', 100, sub { push @next, @bodies if !@next; return shift @next });
	is_deeply(outcomes($sockets), { none => 100 }, '100 bodies without an end, of 5 kinds: closed after the idle time');
	$sockets = attack_many('500 half POSTs', 500, post_of_length(100_000, '[{"n":1},'));
	is_deeply(outcomes($sockets), { none => 500 }, '500 half POSTs: closed after the idle time');

	# each may keep 256 KiB of its body, as --help has it
	$sockets = attack_many('300 POSTs that stop after 200 kB', 300, post_of_length(900_000, '[{"t":"' . 'x' x 200_000), room => 300 * (320 << 10));
	let_go($sockets, '300 POSTs that stop after 200 kB');
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'the end of their transactions');

	$sockets = attack_many('6 slow readers of all rows, three for each connection', 6, get_bytes('/load_from_db?row_limit=' . ROWS), receive_buffer => 4096);
	let_go($sockets, '6 slow readers of all rows');
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'their queries');
	# nobody reads any of 200 answers; the kernel's buffers end it
	my $load = get_bytes('/load_from_db?row_limit=1000') =~ s/Connection: close\r\n//r;
	$sockets = attack_many('20 times 200 requests in one go, and no reader', 20, $load x 200, receive_buffer => 4096);
	let_go($sockets, '20 times 200 requests in one go');

	# whoever is let go on answers is reset, with whatever is under way
	for my $case ([ 'a head', 'GET /load' ], [ 'a body', post_of_length(100_000, '[{"n":1},') ], [ 'an answer', get_bytes('/load_from_db?row_limit=' . ROWS) ])
	{
		my ($what, $bytes) = @$case;
		my @reset = map { connect_to($server, 4096) } 1 .. 100;
		for my $socket (@reset)
		{
			syswrite $socket, $bytes;
			setsockopt $socket, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
		}
		close $_ for @reset;
		wait_until(sub { open_descriptors($server->pid) <= $descriptors_before + 2 }, "the end of resets within $what");
		all_is_well($server, "100 resets within $what");
	}
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'the end of what was reset');
}
{
	my $post = post_bytes($ROW) =~ s/Connection: close\r\n//r;
	my $get = get_bytes($GET) =~ s/Connection: close\r\n//r;
	my $answer = talk($server, "$get$post" x 100 . get_bytes($GET));

	is(join(' ', @{ $answer->{statuses} }), join(' ', ('200') x 201), '201 requests in one go: all answered, in their order');
	$good_posts += 100;
	$answer = talk($server, $get . request_head('GET /health HTTP/1.1', 'Host: 127.0.0.1', 'X : y') . $get);
	is(join(' ', @{ $answer->{statuses} }), '200 400', 'a malformed one among them ends the connection');
	all_is_well($server, 'requests in one go');
}

# --- a database that is attacked, or attacks -----------------------------------------------------

{
	my $holder = TransferBench::Session->new($node);

	$holder->value($_) for ('BEGIN', 'LOCK TABLE numbers, saved IN ACCESS EXCLUSIVE MODE');
	my @waiting = map { my $socket = connect_to($server); syswrite $socket, $_; $socket } (get_bytes($GET), post_bytes($ROW)) x 4;
	my $health = talk($server, get_bytes('/health'));
	is($health->{status}, '200', 'both tables locked: /health answers');
	cmp_ok($health->{seconds}, '<', PROMPT, 'both tables locked: and soon');
	my @answers = map { talk($server, '', socket => $_) } @waiting;
	is_deeply([ map { $_->{status} } @answers ], [ ('503') x 8 ], 'both tables locked: 503 for everybody');
	is(scalar(grep { $_->{head} =~ /^Retry-After: 1/m } @answers), 8, 'both tables locked: and when to come back');
	$holder->value('COMMIT');
	all_is_well($server, 'both tables were locked');
	$holder->quit;
}
{
	# none can be had, and those there were are gone
	my @hoard;
	$session->value(q{SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'transferbench serve'});
	wait_until(sub { backends('true') eq '0' }, 'the end of its connections');
	my $program = "import socket, struct, sys, time\n"
	  . "path, user = sys.argv[1:]\n"
	  . "words = ('user', user, 'database', 'postgres', '')\n"
	  . "body = struct.pack('!i', 196608) + b''.join(word.encode() + b'\\0' for word in words)\n"
	  . "kept = []\n"
	  . "for i in range(60):\n"
	  . "    s = socket.socket(socket.AF_UNIX)\n"
	  . "    s.connect(path)\n"
	  . "    s.sendall(struct.pack('!i', len(body) + 4) + body)\n"
	  . "    s.recv(1)\n"
	  . "    kept.append(s)\n"
	  . "print('full', flush=True)\n"
	  . "sys.stdin.read()\n";
	my $pid = open3(my $in, my $out, undef, 'python3', '-c', $program, $node->host . '/.s.PGSQL.' . $node->port, scalar getpwuid $<);
	is(scalar <$out>, "full\n", 'all connections are somebody else\'s');
	my $get = talk($server, get_bytes($GET));
	is("$get->{status} $get->{detail}", '502 the database cannot be reached', 'no connection to be had: GET');
	my $post = talk($server, post_bytes($ROW));
	is("$post->{status} $post->{detail}", '501 the database cannot be reached', 'no connection to be had: POST');
	cmp_ok($get->{seconds} + $post->{seconds}, '<', PROMPT, 'no connection to be had: told soon');
	close $in;
	waitpid $pid, 0;
	wait_until(sub { $session->value('SELECT count(*) < 20 FROM pg_stat_activity') eq 't' }, 'their end');
	all_is_well($server, 'no connection was to be had');
}
for my $mode ('fast', 'immediate')
{
	my @under_way = map { connect_to($server, 4096) } 1 .. 4;
	my $rows = '[' . join(',', ('{"n":1}') x 100_000) . ']';
	syswrite $_, get_bytes('/load_from_db?row_limit=' . ROWS) for @under_way[ 0, 1 ];
	syswrite $_, post_of_length(length $rows, substr($rows, 0, 400_000)) for @under_way[ 2, 3 ];
	wait_until(sub { backends(q(state = 'active')) eq '4' }, 'four requests under way');
	$node->stop($mode);
	my ($get, $post, $health) = map { talk($server, $_) } get_bytes($GET), post_bytes($ROW), get_bytes('/health');
	is("$get->{status} $post->{status} $health->{status}", '502 501 200', "a database that is stopped ($mode): GET, POST, /health");
	cmp_ok($get->{seconds} + $post->{seconds} + $health->{seconds}, '<', PROMPT, "a database that is stopped ($mode): told soon");
	my @answers = map { talk($server, '', socket => $_) } @under_way[ 0, 1 ];
	unlike($_->{body}, qr/\r\n0\r\n/, "a database that is stopped ($mode): a body under way has no end") for @answers;
	@answers = map { talk($server, substr($rows, 400_000), socket => $_) } @under_way[ 2, 3 ];
	is($_->{status}, '501', "a database that is stopped ($mode): a POST under way") for @answers;
	$node->start;
	$session = TransferBench::Session->new($node);
	all_is_well($server, "a database that was stopped ($mode)");
}
{
	# backends that hear nothing: their requests wait, and nobody else's connection does
	$session->value('CREATE TABLE dozing (n int)');
	my $one = get_bytes('/load_from_db?row_limit=' . ROWS);
	my @stuck = map { connect_to($server, 4096) } 1 .. 2;
	syswrite $_, $one for @stuck;
	wait_until(sub { backends(q(state = 'active')) eq '2' }, 'two readers');
	my @pids = split /,/, $session->value(q{SELECT string_agg(pid::text, ',') FROM pg_stat_activity WHERE application_name = 'transferbench serve' AND state = 'active'});
	kill 'STOP', @pids;
	# they take what had been sent, and then wait for backends that send no more
	for my $socket (@stuck)
	{
		$socket->blocking(0);
		my $end = time() + 1;
		while (time() < $end)
		{
			sysread $socket, my $piece, 1 << 20;
			sleep 0.01;
		}
	}
	my ($get, $post, $health) = map { talk($server, $_) } get_bytes($GET), post_bytes($ROW), get_bytes('/health');
	$good_posts++ if $post->{status} eq '200';
	is("$get->{status} $post->{status} $health->{status}", '503 200 200', 'all readers at backends that hear nothing: GET, POST, /health');
	cmp_ok($post->{seconds} + $health->{seconds}, '<', PROMPT, 'all readers at backends that hear nothing: writers are not delayed');
	close $_ for @stuck;
	wait_until(sub { talk($server, get_bytes($GET))->{status} eq '200' }, 'the connections to be given up');
	all_is_well($server, 'backends that hear nothing, given up');
	kill 'CONT', @pids;
	wait_until(sub { backends(q(state <> 'idle')) eq '0' }, 'their end');
}

# --- what is left of it all ----------------------------------------------------------------------

wait_until(sub { open_descriptors($server->pid) <= $descriptors_before + 2 }, 'the last connections');
pass('descriptors are what they were');
memory_within(private_memory($server->pid) - $memory_before, FLAT, 'memory is what it was');
is($session->value('SELECT count(*) FROM numbers'), ROWS, 'the rows that are read are there');
is($session->value('SELECT count(*) FROM saved'), $good_posts, 'the rows that were told to be written are there, and no other');
is($session->value(q{SELECT count(*) FROM pg_class WHERE relname IN ('numbers', 'saved', 'request_ledger')}), 3, 'no table is gone');
unlike(slurp_file(readlink "/proc/@{[$server->pid]}/fd/2"), qr/[^\n -~\x80-\xff]/, 'nothing steers the operator\'s terminal');
is($server->stop, 0, 'it ends well');

# --- rows that are large -------------------------------------------------------------------------

{
	$session->value(q{CREATE TABLE wide AS SELECT 1 AS id, repeat('x', 100000000) AS t});
	my $wide = start_endpoint($node, '--table', 'wide', '--order-by', 'id', '--save-table', 'saved', '--max-body-bytes', '0', '--connections', '2');

	good_post($wide);
	talk($wide, get_bytes('/load_from_db?row_limit=0'));
	my $before = private_memory($wide->pid);
	for my $format ('rows', 'columns', 'ndjson', 'csv')
	{
		my $answer = talk($wide, get_bytes("/load_from_db?format=$format"));
		is($answer->{status}, '200', "a row of 100 MB as $format");
		cmp_ok(length $answer->{body}, '>', 100_000_000, "a row of 100 MB as $format: it is there");
	}
	my $answer = talk($wide, post_bytes('[{"t":"' . 'x' x 100_000_000 . '"}]'));
	is("$answer->{status} " . ($answer->{detail} =~ /16777216/ ? 'the limit' : $answer->{detail}), '413 the limit', 'a row of 100 MB, written: 413');
	wait_until(sub { $ENV{TRANSFERBENCH_SANITIZED} || private_memory($wide->pid) - $before < FLAT }, 'the memory to be given back');
	pass('rows of 100 MB: memory is given back');
	is(good_post($wide), qq(200 {"rows":1}\n), 'rows of 100 MB: others are served');
	is($wide->stop, 0, 'rows of 100 MB: it ends well');
}

# --- the token -----------------------------------------------------------------------------------

{
	my $secret = 'Attacked-S3cret-T0ken';
	my $file = PostgreSQL::Test::Utils::tempdir() . '/token';

	append_to_file($file, "$secret\n");
	chmod 0600, $file;
	my $guarded = start_endpoint($node, '--table', 'numbers', '--save-table', 'saved', '--token-file', $file);
	my $said = '';
	for my $field (
		undef, '', 'Bearer', 'Bearer ', "Bearer x$secret", 'Bearer ' . substr($secret, 0, -1), "Bearer ${secret}x", 'Bearer ' . lc $secret,
		"Bearer\t$secret", "Bearer,$secret", "Basic $secret", $secret, "Bearer " . 'x' x 20_000, "Bearer $secret, Bearer $secret", "Bearer \xff", 'Bearer ' . '%00',
		"Bearer $secret\r\nAuthorization: Bearer wrong")
	{
		my @fields = defined $field ? ("Authorization: $field") : ();
		my $shown = substr(($field // 'none') =~ s/\Q$secret\E/TOKEN/gr =~ s/[^ -~]/?/gr, 0, 60);
		for my $bytes (get_bytes($GET, @fields), post_bytes($ROW, @fields), get_bytes('/info', @fields), get_bytes('/usage', @fields),
			get_bytes("/$secret", @fields), get_bytes("/load_from_db?token=$secret", @fields))
		{
			my $answer = talk($guarded, $bytes);
			my ($line) = $bytes =~ /^(\S+ \S{5})/;
			is($answer->{status}, ($field // '') =~ /\n/ ? '400' : '401', "Authorization: $shown: $line");
			unlike("$answer->{head}$answer->{body}", qr/\Q$secret\E/i, "Authorization: $shown: $line: no token in the answer");
		}
	}
	is(talk($guarded, get_bytes($GET, "Authorization: Bearer $secret"))->{status}, '200', 'the token');
	is(talk($guarded, get_bytes($GET, "Authorization: Bearer $secret \t "))->{status}, '200', 'the token, and blanks behind it');
	is(talk($guarded, get_bytes($GET, "Authorization: Bearer $secret") =~ s/Host: .*/Host: rows.example/r)->{status}, '200', 'with a token any Host will do');
	unlike(slurp_file("/proc/@{[$guarded->pid]}/$_"), qr/\Q$secret\E/, "no token in /proc/PID/$_") for 'cmdline', 'environ';
	unlike(slurp_file(readlink "/proc/@{[$guarded->pid]}/fd/2"), qr/\Q$secret\E/, 'no token in what it says');
	is($guarded->stop, 0, 'it ends well');
}

# --- a reader of stderr that has stopped ---------------------------------------------------------

{
	pipe my $reading, my $writing or die "no pipe: $!";
	my $pid = open3(my $in, my $out, '>&' . fileno $writing, endpoint_program(), 'serve', '--port', '0', '-d', $node->connstr('postgres'),
		'--query', 'SELECT 1 / (1 - g) AS x FROM generate_series(1, 3) AS g', '--read-only', '--connections', '2');
	close $writing;
	my ($port) = <$out> =~ /(\d+)$/;
	my $deaf = bless { port => $port }, 'TransferBench::Server';
	my $start = time();
	my %count;
	# each says some hundred bytes of warning, a pipe holds 64 kB
	$count{ talk($deaf, get_bytes('/load_from_db'))->{status} }++ for 1 .. 1200;
	is_deeply(\%count, { 502 => 1200 }, 'more warnings than a pipe holds, and nobody reads: each request is answered');
	cmp_ok(time() - $start, '<', 60, 'and none waits for the reader');
	sysread $reading, my $said, 1 << 20;
	talk($deaf, get_bytes('/load_from_db'));
	sysread $reading, $said, 1 << 20;
	like($said, qr/warning: [1-9]\d* messages were lost, since nobody read them\n/, 'a reader that goes on is told what it missed');
	kill 'TERM', $pid;
	waitpid $pid, 0;
	is($?, 0, 'it ends well');
}

done_testing();
