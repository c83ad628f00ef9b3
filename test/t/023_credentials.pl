# pg_transferbench.credentials_file: what is sent where, which files and lines
# are refused, who sees what.
use strict;
use warnings FATAL => 'all';

use POSIX ();
use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

use constant { SECRET => 't0ps3cret', LIMIT_BYTES => 64 * 1024 };

my $directory = PostgreSQL::Test::Utils::tempdir();
my $resolver = build_resolver($directory);
my $node = start_node(
	'credentials',
	settings => "pg_transferbench.allowed_hosts = 'localhost, 127.0.0.1, ::1, *.test'",
	environment => { $resolver ? (LD_PRELOAD => $resolver) : () });
my $server = start_http_server();
my $other = start_http_server();
my $session = TransferBench::Session->new($node);
my ($port, $other_port) = ($server->port, $other->port);
my $file = "$directory/credentials";

# Writes a file anew, readable by its owner alone.
sub write_file
{
	my ($path, $text, $mode) = @_;

	unlink $path;
	append_to_file($path, $text);
	chmod $mode // oct '600', $path or die "could not chmod $path: $!";
	return;
}

sub fetch
{
	my ($url, %options) = @_;

	return fetch_call('rows, status', $url, 3, row_type => "'points'", %options);
}

# The headers of the requests that a statement brings to a server.
sub headers_of
{
	my ($sql, $at) = @_;
	$at //= $server;

	$at->forget_requests;
	my $result = $session->run($sql);
	diag($result->{errors}) if $result->{error};
	return map { $_->{headers} } $at->requests;
}

$session->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'CREATE ROLE ordinary LOGIN',
	'GRANT EXECUTE ON FUNCTION bench_http_fetch, bench_compare TO ordinary',
	'SET pg_transferbench.credentials_file = ' . literal($file));

# --- what is sent where ---------------------------------------------------------------

write_file($file, "127.0.0.1:$port:Authorization: Bearer " . SECRET . "\n");
{
	my ($headers) = headers_of(fetch($server->url('/rows')));
	is($headers->{authorization}, 'Bearer ' . SECRET, 'a header goes to its host and port');
	like($headers->{accept}, qr{application/json}, 'beside our own');
	($headers) = headers_of(fetch($other->url('/rows')), $other);
	ok($headers && !exists $headers->{authorization}, 'not to another port');
	($headers) = headers_of(fetch("http://localhost:$port/rows"));
	ok($headers && !exists $headers->{authorization}, 'not to another name of the same host');
	my @pages = headers_of(
		fetch_call('rows', $server->url('/rows', total => 3), 3, row_type => "'points'", page_rows => 1));
	is(join(' ', map { $_->{authorization} // 'none' } @pages),
		join(' ', ('Bearer ' . SECRET) x 3), 'with each page');
	my @compared = headers_of(
		'SELECT * FROM bench_compare('
		  . literal($server->url('/rows'))
		  . ", '{3}', trials => 1, query => 'SELECT i::bigint AS id, i + 0.5::float8 AS x FROM generate_series(1, 3) AS i')");
	is(scalar(grep { ($_->{authorization} // '') ne 'Bearer ' . SECRET } @compared),
		0, 'with each request of a comparison');
	cmp_ok(scalar @compared, '>', 0, 'of which there are some');
}

# name, lines, headers argument, header, its value at the server
my $ours = "127.0.0.1:$port";
for my $case (
	[ 'several headers of one host', "$ours:A: 1\n$ours:X-Test: 2\n", undef, 'x-test', '2' ],
	[ 'blank lines and comments', "\n# $ours:X-Test: 1\n \t\n  $ours:X-Test: 2\n", undef, 'x-test', '2' ],
	[ 'lines that end with CR LF', "$ours:X-Test: 2\r\n$ours:Y: 3\r\n", undef, 'x-test', '2' ],
	[ 'no line feed at the end', "$ours:X-Test: 2", undef, 'x-test', '2' ],
	[ 'no blank before the value', "$ours:X-Test:2\n", undef, 'x-test', '2' ],
	[ 'colons in the value', "$ours:X-Test: a:b: c\n", undef, 'x-test', 'a:b: c' ],
	[ 'blanks around the value', "$ours:X-Test: \t2 3 \n", undef, 'x-test', '2 3' ],
	[ 'one for another host, too', "other.test:$port:X-Test: 1\n$ours:X-Test: 2\n", undef, 'x-test', '2' ],
	[ 'in place of our own Accept', "$ours:accept: text/csv\n", undef, 'accept', 'text/csv' ],
	[ 'an argument of the same name goes before', "$ours:X-Test: 2\n", '{"x-tesT":"3"}', 'x-test', '3' ],
	[ 'an empty one, too', "$ours:X-Test: 2\n", '{"X-Test":""}', 'x-test', '' ],
	[ 'an argument of another name', "$ours:X-Test: 2\n", '{"X-Tes":"3"}', 'x-test', '2' ],
	[ 'as long as the file may be', "$ours:X-Test: 2\n" . '#' x (LIMIT_BYTES - length("$ours:X-Test: 2\n")), undef, 'x-test', '2' ],
	[ 'nothing', '', undef, 'x-test', undef ])
{
	my ($name, $lines, $argument, $header, $value) = @$case;

	write_file($file, $lines);
	my ($headers) = headers_of(fetch($server->url('/rows'), headers => literal($argument)));
	is($headers->{$header}, $value, "lines: $name");
}

SKIP:
{
	skip 'spellings of a name: no compiler for the resolver', 1 unless $resolver;

	for my $case (
		[ 'LoopBack.TEST', 'loopback.test' ],
		[ 'loopback.test', 'LOOPBACK.Test' ],
		[ 'loopback.test.', 'loopback.test' ],
		[ 'loopback.test', 'loopback.test.' ])
	{
		my ($in_file, $in_url) = @$case;

		write_file($file, "$in_file:$port:X-Test: 2\n");
		my ($headers) = headers_of(fetch("http://$in_url:$port/rows"));
		is($headers->{'x-test'}, '2', "$in_file in the file, $in_url in the URL");
	}
	for my $in_file ('test', 'back.test', 'x.loopback.test', 'loopback.tes', '127.0.0.1')
	{
		write_file($file, "$in_file:$port:X-Test: 2\n");
		my ($headers) = headers_of(fetch("http://loopback.test:$port/rows"));
		ok($headers && !exists $headers->{'x-test'}, "$in_file in the file, loopback.test in the URL: not sent");
	}
}
SKIP:
{
	skip 'spellings of an IPv6 address: the loader was built without serve', 1 unless endpoint_program();
	skip 'spellings of an IPv6 address: there is none', 1 unless -e '/proc/net/if_inet6' && slurp_file('/proc/net/if_inet6') =~ /^0{31}1 /m;

	write_file("$directory/token", SECRET . "\n");
	my $endpoint = start_endpoint($node, '--bind', '::1', '--query', 'SELECT 1 AS id', '--token-file', "$directory/token");
	my $url = 'http://[::1]:' . $endpoint->port . '/load_from_db';

	for my $spelling ('::1', '0:0:0:0:0:0:0:1', '0::0001')
	{
		write_file($file, "[$spelling]:" . $endpoint->port . ':Authorization: Bearer ' . SECRET);
		succeeds($session, fetch_call('rows, status', $url, 1, row_type => "'points'"), '1|ok', "[$spelling] in the file, [::1] in the URL");
	}
	write_file($file, '[::2]:' . $endpoint->port . ':Authorization: Bearer ' . SECRET);
	fails_with($session, fetch_call('rows, status', $url, 1, row_type => "'points'"), { sqlstate => '38000', message => qr/401/ },
		'[::2] in the file, [::1] in the URL: not sent');
}

# --- redirects ------------------------------------------------------------------------

write_file($file, "$ours:X-Test: 2\n127.0.0.1:$other_port:X-Test: 3\n127.0.0.1:$other_port:X-Other: 4\n");
with_setting(
	$session,
	follow_redirects => 'on',
	sub {
		my @headers = headers_of(fetch($server->url('/redirect', to => '/rows?row_limit=3')));
		is(join(' ', map { $_->{'x-test'} // 'none' } @headers), '2 2', 'a redirect within the origin keeps the headers');
		@headers = headers_of(fetch($server->url('/redirect', to => $other->url('/rows', row_limit => 3))), $other);
		is(scalar @headers, 1, 'a redirect to another origin is followed');
		ok(!grep({ exists $_->{'x-test'} || exists $_->{'x-other'} } @headers),
			'with neither the headers of the first host nor those of the second');
	});

# --- over TLS alone -------------------------------------------------------------------

SKIP:
{
	skip 'TLS: openssl(1) is not installed', 1
	  unless eval { IPC::Run::run([ 'openssl', 'version' ]) };

	my @certificate = make_certificate($directory, 'good', subject_alternative_name => 'IP:127.0.0.1');
	my $tls = start_http_server(certificate => $certificate[0], key => $certificate[1]);

	$session->value('SET pg_transferbench.ca_file = ' . literal($certificate[0]));
	write_file($file,
		"https://127.0.0.1:" . $tls->port . ":X-Test: 2\nHTTPS://$ours:X-Test: 3\n$ours:X-Open: 4\n" . '127.0.0.1:' . $tls->port . ":X-Open: 5\n");

	my ($headers) = headers_of(fetch($server->url('/rows')));
	ok(!exists $headers->{'x-test'}, 'a line that begins with https:// is not sent in the open');
	is($headers->{'x-open'}, '4', 'another line is');
	$session->value(fetch($tls->url('/rows')));
	my ($log) = run_command([
			'python3', '-c', 'import ssl, sys, urllib.request as r;'
			  . ' print(r.urlopen(sys.argv[1], context=ssl.create_default_context(cafile=sys.argv[2])).read().decode())',
			$tls->url('/requests'), $certificate[0] ]);
	like($log, qr/"x-test": "2"/, 'over TLS it is');
	like($log, qr/"x-open": "5"/, 'and so is another');
}

# --- files that are refused -----------------------------------------------------------

my $good = "$ours:X-Test: " . SECRET . "\n";
my @files = (

	# name, how it is made, message
	[ 'a missing file', sub { unlink $file }, qr/could not be opened: No such file/ ],
	[ 'a directory', sub { unlink $file; mkdir $file, oct '700' }, qr/is not a regular file/ ],
	[   'a FIFO that nobody writes to',
		sub { rmdir $file; POSIX::mkfifo($file, oct '600') or die "mkfifo: $!" },
		qr/is not a regular file/ ],
	[ 'a device', sub { unlink $file; symlink '/dev/null', $file }, qr/is not a regular file/ ],
	[ 'a directory on the way that is none', sub { unlink $file; write_file($file, $good); $session->value('SET pg_transferbench.credentials_file = ' . literal("$file/x")) },
		qr/could not be opened: Not a directory/ ],
	[   'a file that is too long',
		sub { $session->value('SET pg_transferbench.credentials_file = ' . literal($file)); write_file($file, $good . '#' x LIMIT_BYTES) },
		qr/is longer than 65536 bytes/ ],
	map {
		my $mode = $_;
		[ "mode $mode", sub { write_file($file, $good, oct $mode) }, qr/has permissions $mode/ ]
	} qw(0640 0604 0644 0620 0602 0610 0601 0666 0777 4640));

for my $case (@files)
{
	my ($name, $make, $message) = @$case;

	$make->();
	$server->forget_requests;
	my $result = fails_with(
		$session,
		fetch($server->url('/rows')),
		{ sqlstate => 'F0000', message => $message, ($name =~ /long/ ? () : (hint => qr/chmod 0600/)) },
		"file refused: $name");
	like($result->{error}{message}, qr/\Q$file\E/, "and named: $name");
	is(scalar $server->requests, 0, "and nothing is sent: $name");
}
for my $mode (qw(0600 0400))
{
	write_file($file, $good, oct $mode);
	my $result = succeeds($session, fetch($server->url('/rows')), '3|ok', "file accepted: mode $mode");
	is($result->{errors}, '', "and closed, without a warning: mode $mode");
}
rename $file, "$file.target";
symlink "$file.target", $file;
{
	my ($headers) = headers_of(fetch($server->url('/rows')));
	is($headers->{'x-test'}, SECRET, 'file accepted: a link to a good one');
}
chmod oct '644', "$file.target";
fails_with($session, fetch($server->url('/rows')), { sqlstate => 'F0000', message => qr/permissions 0644/ }, 'file refused: a link to a bad one');
unlink $file;

# --- lines that are refused -----------------------------------------------------------

my $long_name = 'x' x 300;
my @lines = (
	[ 'no colon', SECRET ],
	[ 'no port', "127.0.0.1:Authorization: " . SECRET ],
	[ 'no host', ":$port:Authorization: " . SECRET ],
	[ 'no header', "127.0.0.1:$port:" ],
	[ 'no header, but a blank', "127.0.0.1:$port: " . SECRET ],
	[ 'no value', "127.0.0.1:$port:" . SECRET . ':' ],
	[ 'no value, but blanks', "127.0.0.1:$port:" . SECRET . ":  \t" ],
	[ 'no colon behind the header', "127.0.0.1:$port:" . SECRET ],
	[ 'port 0', '127.0.0.1:0:X: ' . SECRET ],
	[ 'port 65536', '127.0.0.1:65536:X: ' . SECRET ],
	[ 'a port of six digits', '127.0.0.1:008000:X: ' . SECRET ],
	[ 'a port that is none', '127.0.0.1:http:X: ' . SECRET ],
	[ 'a wildcard', "*.test:$port:X: " . SECRET ],
	[ 'http:// before it', "http://127.0.0.1:$port:X: " . SECRET ],
	[ 'a user before the host', 'user:' . SECRET . "\@127.0.0.1:$port:X: y" ],
	[ 'an IPv6 address without brackets', "::1:$port:X: " . SECRET ],
	[ 'a bracket that does not close', "[::1:$port:X: " . SECRET ],
	[ 'a host with a blank', "127.0.0.1 :$port:X: " . SECRET ],
	[ 'a byte order mark', "\xef\xbb\xbf127.0.0.1:$port:X: " . SECRET ],
	[ 'a host beyond ASCII', "caf\xc3\xa9.test:$port:X: " . SECRET ],
	[ 'a blank in the header', "127.0.0.1:$port:X Y: " . SECRET ],
	[ 'a blank behind the header', "127.0.0.1:$port:X : " . SECRET ],
	[ 'a header beyond ASCII', "127.0.0.1:$port:\xc3\xa9: " . SECRET ],
	[ 'a CR in the value', "127.0.0.1:$port:X: " . SECRET . "\rY: z" ],
	[ 'a CR in the header', "127.0.0.1:$port:X\r: " . SECRET ],
	[ 'a control character in the value', "127.0.0.1:$port:X: " . SECRET . "\e[31m" ],
	[ 'DEL in the value', "127.0.0.1:$port:X: " . SECRET . "\x7f" ],
	[ 'a zero byte in the value', "127.0.0.1:$port:X: " . SECRET . "\0y" ],
	[ 'a zero byte before it', "\x{00}127.0.0.1:$port:X: " . SECRET ],
	(map { [ "the header $_", "127.0.0.1:$port:$_: " . SECRET ] } qw(Content-Length transfer-encoding HOST Connection)),
	[ 'a header twice', "127.0.0.1:$port:x-GOOD: " . SECRET ],
	[ 'a header twice, once for TLS', "https://127.0.0.1:$port:X-Good: " . SECRET ],
	[ 'a header twice, the host written otherwise', "[0:0::1]:$port:X-Six: " . SECRET ],
	[ 'a curl option', 'header = "Authorization: ' . SECRET . '"' ],
	[ 'a line of .netrc', 'machine 127.0.0.1 login x password ' . SECRET ],
	[ 'a long line', SECRET x 1000 ]);

for my $case (@lines)
{
	my ($name, $line) = @$case;

	write_file($file, "# comment\n127.0.0.1:$port:X-Good: 1\n[::1]:$port:X-Six: 1\n$line\n127.0.0.1:$port:X-More: 1\n");
	$server->forget_requests;
	my $result = fails_with(
		$session,
		fetch($server->url('/rows')),
		{ sqlstate => 'F0000', message => qr/^line 4 of .* is malformed$/, detail => qr/./, hint => qr/host:port:Header: value/ },
		"line refused: $name");
	unlike($result->{errors}, qr/t0ps3cret|user|\x7f|\e/i, "and not repeated: $name");
	is(scalar $server->requests, 0, "and nothing is sent: $name");
}
{
	my $descriptors = open_descriptors($session->pid);
	$session->run(fetch($server->url('/rows'))) for 1 .. 20;
	is(open_descriptors($session->pid), $descriptors, 'no file is left open');
}

# --- read anew ------------------------------------------------------------------------

write_file($file, "$ours:X-Test: first\n");
is((headers_of(fetch($server->url('/rows'))))[0]{'x-test'}, 'first', 'the file as it is');
write_file($file, "$ours:X-Test: second\n");
is((headers_of(fetch($server->url('/rows'))))[0]{'x-test'}, 'second', 'the file as it has become');
$session->value("SET pg_transferbench.credentials_file = ''");
is((headers_of(fetch($server->url('/rows'))))[0]{'x-test'}, undef, 'no file, no header');

# --- other roles ----------------------------------------------------------------------

write_file($file, "$ours:X-Test: " . SECRET . "\n");
$session->value('ALTER SYSTEM SET pg_transferbench.credentials_file = ' . literal($file));
$session->value('SELECT pg_reload_conf()');
{
	my $ordinary = TransferBench::Session->new($node, user => 'ordinary');

	$ordinary->value('SELECT count(*) FROM bench_rows(1)');
	fails_with($ordinary, 'SHOW pg_transferbench.credentials_file', { sqlstate => '42501' }, 'an ordinary role does not see the setting');
	succeeds($ordinary, "SELECT count(*) FROM pg_settings WHERE name = 'pg_transferbench.credentials_file'",
		'0', 'nor among all settings');
	$server->forget_requests;
	succeeds($ordinary, fetch($server->url('/rows')), '3|ok', 'an ordinary role may call');
	is(($server->requests)[0]{headers}{'x-test'}, SECRET, 'and its call carries the header');
	chmod oct '644', $file;
	my $result = fails_with($ordinary, fetch($server->url('/rows')),
		{ sqlstate => 'F0000', message => qr/^the file of pg_transferbench\.credentials_file has permissions 0644/ },
		'an ordinary role is told what is wrong with the file');
	unlike($result->{errors}, qr/\Q$directory\E/, 'but not where it is');
	chmod oct '600', $file;

	# whatever a running statement shows of itself
	$ordinary->send(fetch($server->url('/accept_only')));
	wait_for_backend($session, $ordinary->pid, 'Extension');
	unlike($session->value('SELECT string_agg(a::text, chr(10)) FROM pg_stat_activity AS a'), qr/t0ps3cret/, 'pg_stat_activity does not show a value');
	kill 'INT', $ordinary->pid;
	is($ordinary->finish->{error}{sqlstate}, '57014', 'while a request with it waits');
	succeeds($session, "SELECT count(*) FROM pg_settings AS s WHERE s::text ~ 't0ps3cret'", '0', 'nor do the settings');
	$ordinary->quit;
}

# --- nowhere a value ------------------------------------------------------------------

$session->quit;
$node->stop;
unlike(slurp_file($node->logfile), qr/t0ps3cret/, 'no value is in the log of the server');

done_testing();
