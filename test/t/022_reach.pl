# Where the server may be sent, and what goes there: names, the addresses that
# they lead to, redirects of every kind; what the environment and the home
# directory hold is not used; looking up a name is a wait like any other.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use TransferBench;

use constant { LIMIT_MS => 100, CONNECT_TIMEOUT_MS => 300 };

my $directory = PostgreSQL::Test::Utils::tempdir();
my $resolver = build_resolver($directory);
my $home = "$directory/home";
my %environment = (
	HOME => $home,
	(map { $_ => 'http://127.0.0.1:1/' } qw(http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY)),
	$resolver ? (LD_PRELOAD => $resolver) : ());
mkdir $home;
append_to_file("$home/.netrc", "machine 127.0.0.1 login somebody password t0ps3cret\ndefault login anybody password t0ps3cret\n");
chmod oct '600', "$home/.netrc";
append_to_file("$home/.curlrc", "header = \"X-Curlrc: yes\"\n");

my $node = start_node('reach', environment => \%environment);
my $server = start_http_server();
my $other = start_http_server();
my $session = TransferBench::Session->new($node);
my ($port, $other_port) = ($server->port, $other->port);

$session->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'SELECT count(*) FROM bench_rows(1)',
	'SET pg_transferbench.connect_timeout = ' . CONNECT_TIMEOUT_MS);

sub fetch
{
	my ($url, %options) = @_;

	return fetch_call('rows, status', $url, 3, row_type => "'points'", %options);
}

# --- the address that is really dialled -----------------------------------------------

my %refused = (sqlstate => '42501', message => qr/leads to an address that is not allowed/, hint => qr/allowed_hosts/);
SKIP:
{
	skip 'names that lead elsewhere: no compiler for the resolver', 1 unless $resolver;

	# each of them under an allowed domain
	for my $name (
		qw(loopback loopback-ipv6 metadata metadata-ipv6 link-local link-local-ipv6 mapped nat64 6to4
		unspecified unspecified-ipv6 multicast metadata-then-loopback loopback-then-metadata))
	{
		$server->forget_requests;
		with_setting($session, allowed_hosts => '*.test',
			sub { fails_with($session, fetch("http://$name.test:$port/rows"), \%refused, "$name.test is not dialled") });
		is(scalar $server->requests, 0, "and nothing is sent: $name.test");
	}

	# name, allowed_hosts, host of the URL
	for my $case (
		[ 'loopback by an allowed name', '*.test, 127.0.0.1', 'loopback.test' ],
		[ 'loopback at the port that is named', "*.test, 127.0.0.1:$port", 'loopback.test' ],
		[ 'metadata that is named', 'metadata.test, 169.254.169.254', 'metadata.test' ],
		[ 'metadata that is named, by its address', '169.254.169.254', '169.254.169.254' ],
		[ 'link-local that is named', "169.254.1.1:$port", '169.254.1.1' ],
		[ 'several addresses, the first of them allowed', '*.test, 127.0.0.1', 'loopback-then-metadata.test' ])
	{
		my ($name, $allowed, $host) = @$case;

		with_setting($session, allowed_hosts => $allowed,
			sub { succeeds($session, fetch("http://$host:$port/rows"), '3|ok', "dialled: $name") });
	}

	# a port that was free a moment ago
	my $gone = start_http_server();
	my $gone_port = $gone->port;
	$gone->stop;
	for my $case (
		[ 'several addresses, the first of them not allowed', '*.test, 127.0.0.1', 'metadata-then-loopback.test', $port ],
		[ 'several addresses, of which the allowed one refuses', '*.test, 127.0.0.1', 'loopback-then-metadata.test', $gone_port ],
		[ 'loopback where another port is named', "*.test, 127.0.0.1:$other_port", 'loopback.test', $port ],
		[ 'metadata where only its name is named', 'metadata.test', 'metadata.test', $port ])
	{
		my ($name, $allowed, $host, $at) = @$case;

		$server->forget_requests;
		with_setting($session, allowed_hosts => $allowed,
			sub { fails_with($session, fetch("http://$host:$at/rows"), \%refused, "not dialled: $name") });
		is(scalar $server->requests, 0, "and nothing is sent: $name");
	}
}
with_setting($session, allowed_hosts => '0.0.0.0',
	sub { succeeds($session, fetch("http://0.0.0.0:$port/rows"), '3|ok', 'dialled: the unspecified address that is named') });

# the same address, spelt otherwise
for my $host ('2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '169.0xfe.169.254', '169.254.169.254.',
	'[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[fe80::1]', '[fe80::1%25lo]', '[fd00:ec2::254]', '0', '[::]', '127.1.2.3', '[::ffff:127.0.0.1]')
{
	fails_with($session, fetch("http://$host:$port/"), { sqlstate => '42501', message => qr/is not allowed/ }, "not allowed by default: $host");
}
for my $host ('127.1', '2130706433', '0x7f000001', 'LOCALHOST')
{
	succeeds($session, fetch("http://$host:$port/rows"), '3|ok', "allowed by default: $host");
}

# --- redirects ------------------------------------------------------------------------

sub redirected
{
	my ($to, @parameters) = @_;
	return fetch($server->url('/redirect', to => $to, @parameters));
}

# A URL that leads to another by so many redirects.
sub redirects
{
	my ($count, $to) = @_;
	return $count == 0 ? $to : $server->url('/redirect', to => redirects($count - 1, $to));
}

my $rows = $server->url('/rows', row_limit => 3);
my $not_allowed = qr/"\Qexample.invalid\E" port \d+ is not allowed/;
my @refused_locations = (

	# location, SQLSTATE, message
	[ 'http://example.invalid/', '42501', $not_allowed ],
	[ 'https://example.invalid/', '42501', $not_allowed ],
	[ '//example.invalid/x', '42501', $not_allowed ],
	[ 'HTTP://EXAMPLE.INVALID/', '42501', qr/is not allowed/ ],
	[ 'http://localhost.example.invalid/', '42501', qr/is not allowed/ ],
	[ 'http://127.0.0.1.example.invalid/', '42501', qr/is not allowed/ ],
	[ "http://example.invalid:$port#\@127.0.0.1/", '42501', $not_allowed ],
	[ "http://example.invalid?\@127.0.0.1:$port/", '42501', $not_allowed ],
	[ 'http://169.254.169.254/latest/meta-data/', '42501', qr/"169\.254\.169\.254" port 80 is not allowed/ ],
	[ '//169.254.169.254/', '42501', qr/is not allowed/ ],
	[ 'http://2852039166/', '42501', qr/"169\.254\.169\.254"/ ],
	[ 'http://0251.0376.0251.0376/', '42501', qr/"169\.254\.169\.254"/ ],
	[ 'http://[::ffff:169.254.169.254]/', '42501', qr/is not allowed/ ],
	[ 'http://[fe80::1]/', '42501', qr/is not allowed/ ],
	[ 'http://0.0.0.0/', '42501', qr/is not allowed/ ],
	[ 'file:///etc/passwd', '38000', qr/scheme "file"/ ],
	[ 'FILE:///etc/passwd', '38000', qr/scheme "FILE"/ ],
	[ 'file:/etc/passwd', '38000', qr/no scheme/ ],
	[ 'gopher://127.0.0.1/x', '38000', qr/scheme "gopher"/ ],
	[ 'ftp://127.0.0.1/', '38000', qr/scheme "ftp"/ ],
	[ 'dict://127.0.0.1/', '38000', qr/scheme "dict"/ ],
	[ 'ldap://127.0.0.1/', '38000', qr/scheme "ldap"/ ],
	[ 'smb://127.0.0.1/x', '38000', qr/scheme "smb"/ ],
	[ 'ws://127.0.0.1/', '38000', qr/scheme "ws"/ ],
	[ 'data:application/json,[]', '38000', qr/no scheme/ ],
	[ 'javascript:alert(1)', '38000', qr/no scheme/ ],
	[ "http:127.0.0.1:$port/rows", '38000', qr/no scheme/ ],
	[ "http://user:t0ps3cret\@127.0.0.1:$port/rows", '38000', qr/must not contain a user/ ],
	[ "http://t0ps3cret\@127.0.0.1:$port/rows", '38000', qr/must not contain a user/ ],
	[ "//t0ps3cret\@127.0.0.1:$port/rows", '38000', qr/must not contain a user/ ],
	[ "http://127.0.0.1:$port\@example.invalid/", '38000', qr/must not contain a user/ ],
	[ 'http://127.0.0.1:99999/', '38000', qr/malformed/ ],
	[ 'http://', '38000', qr/malformed/ ],
	[ 'http://127.0.0.1 /', '38000', qr/malformed/ ],
	[ '/' . 'x' x 9000, '38000', qr/HTTP status 302/ ]);

with_setting(
	$session,
	follow_redirects => 'on',
	sub {
		for my $case (@refused_locations)
		{
			my ($location, $sqlstate, $message) = @$case;
			my $shown = substr($location, 0, 60) =~ s/$port/PORT/r;

			$server->forget_requests;
			my $result = fails_with($session, redirected($location), { sqlstate => $sqlstate, message => $message }, "redirect refused: $shown");
			unlike($result->{errors}, qr/t0ps3cret/, "and no password repeated: $shown") if $location =~ /\@/;
			is(scalar $server->requests, 1, "and nothing more is sent: $shown");
		}
		for my $status (300, 301, 302, 303, 307, 308)
		{
			fails_with($session, redirected('http://example.invalid/', status => $status), { sqlstate => '42501', message => $not_allowed },
				"redirect refused: status $status to a host that is not allowed");
		}
	  SKIP:
		{
			skip 'redirects to names that lead elsewhere: no compiler for the resolver', 1 unless $resolver;

			with_setting($session, allowed_hosts => '127.0.0.1:' . $server->port . ', *.test',
				sub {
					for my $name (qw(metadata link-local mapped unspecified metadata-then-loopback))
					{
						$other->forget_requests;
						fails_with($session, redirected("http://$name.test:$other_port/rows"), \%refused, "redirect refused: to $name.test, when it is dialled");
						is(scalar $other->requests, 0, "and nothing is sent: $name.test");
					}
					fails_with($session, redirected("http://unknown.test:$other_port/rows"), { sqlstate => '08001', message => qr/resolve/ },
						'redirect to a name that does not exist');
				});
		}

		# location, the last request's line
		for my $case (
			[ 'absolute', $rows, '/rows?row_limit=3' ],
			[ 'of the scheme in capitals', $rows =~ s/^http/HTTP/r, '/rows?row_limit=3' ],
			[ 'without the scheme', $rows =~ s/^http://r, '/rows?row_limit=3' ],
			[ 'a path', '/rows?row_limit=3', '/rows?row_limit=3' ],
			[ 'a name beside it', 'rows?row_limit=3', '/rows?row_limit=3' ],
			[ 'by way of the root', '../../x/../rows?row_limit=3', '/rows?row_limit=3' ],
			[ 'with a fragment', '/rows?row_limit=3#x', '/rows?row_limit=3' ],
			[ 'a path with a colon', '/rows?row_limit=3&x=http://example.invalid/', '/rows?row_limit=3&x=http://example.invalid/' ])
		{
			my ($name, $location, $line) = @$case;

			$server->forget_requests;
			succeeds($session, redirected($location), '3|ok', "redirect followed: $name");
			is(($server->requests)[-1]{line}, "GET $line HTTP/1.1", "to where it says: $name");
		}
		succeeds($session, fetch(redirects(5, $rows)), '3|ok', 'five redirects are followed');
		$server->forget_requests;
		fails_with($session, fetch(redirects(6, $rows)), { sqlstate => '38000', message => qr/redirected more than 5 times/ }, 'six are not');
		is(scalar $server->requests, 6, 'and the seventh request is not sent');
		fails_with($session, fetch($server->url('/redirect', to => $other->url('/redirect', to => $server->url('/redirect')))),
			{ sqlstate => '38000', message => qr/redirected more than 5 times/ }, 'a loop by way of another host');

		# there and back again
		$server->forget_requests;
		succeeds($session,
			fetch($server->url('/redirect', to => $other->url('/redirect', to => $rows)), headers => literal('{"X-Test":"1"}')),
			'3|ok', 'a redirect that comes back');
		is(join(' ', map { $_->{headers}{'x-test'} // 'none' } $server->requests), '1 none', 'does not bring the headers along again');
	});

# --- header names and values ----------------------------------------------------------

my $control = qr/control character/;
my $no_name = qr/characters that header names do not have/;
for my $case (
	[ '{"X-Test":"a\r\nX-Injected: 1"}', $control ],
	[ '{"X-Test":"a\u000d\u000aX-Injected: 1"}', $control ],
	[ '{"X-Test":"a\u000aX-Injected: 1"}', $control ],
	[ '{"X-Test":"a\u000dX-Injected: 1"}', $control ],
	[ '{"X-Test":"\n"}', $control ],
	[ '{"X-Test":"a\u0001"}', $control ],
	[ '{"X-Test":"a\u001b[31m"}', $control ],
	[ '{"X-Test":"a\u007f"}', $control ],
	[ '{"X-Test\r\nX-Injected":"1"}', $no_name ],
	[ '{"X-Test\u000aX-Injected":"1"}', $no_name ],
	[ '{"X-Test\u000d":"1"}', $no_name ],
	[ '{"X-Test:":"1"}', $no_name ],
	[ '{"X-Test;":"1"}', $no_name ],
	[ '{"X-Test ":"1"}', $no_name ],
	[ '{"@file":"1"}', $no_name ],
	[ '{"X-\u00e9":"1"}', $no_name ],
	(   map { [ "{\"X-Test\":\"DELETE / HTTP/1.1\",\"$_\":\"100\"}", qr/^headers: "$_" is not for a caller to set$/ ] }
		  qw(Content-Length content-lengtH Transfer-Encoding Host Connection Expect TE Trailer Upgrade)),
	[ '{"Content-Length":""}', qr/"Content-Length" is not for a caller to set/ ],
	[ '{"X-Test":null}', qr/must be a string or a number/ ],
	[ '{"X-Test":["a","b"]}', qr/must be a string or a number/ ])
{
	my ($headers, $message) = @$case;

	$server->forget_requests;
	fails_with($session, fetch($server->url('/rows'), headers => literal($headers)), { sqlstate => '22023', message => $message }, "headers refused: $headers");
	is(scalar $server->requests, 0, "and nothing is sent: $headers");
}
fails_with($session, fetch($server->url('/rows'), headers => literal('{"X-Test":"a\u0000b"}')), { sqlstate => '22P05' },
	'headers refused: a zero byte, by jsonb itself');

# --- what the environment and the home directory hold -----------------------------------

{
	$server->forget_requests;
	succeeds($session, fetch($server->url('/rows')), '3|ok', 'proxies of the environment are ignored');
	my %headers = %{ ($server->requests)[0]{headers} };
	is(join(' ', sort keys %headers), 'accept host user-agent', 'neither .netrc nor .curlrc adds a header');

	my @before = sort glob "$home/{.,}* " . $node->data_dir . '/{.,}*';
	for my $name ('Strict-Transport-Security: max-age=31536000; includeSubDomains', 'Alt-Svc: h2=":1"; ma=86400; persist=1',
		'Set-Cookie: session=t0ps3cret; Path=/; Max-Age=86400')
	{
		succeeds($session, fetch_call('rows, status', $server->url('/json', header => $name), 6, row_type => "'points'", page_rows => 3),
			'6|ok', "an answer that wants to be remembered: $name");
		%headers = %{ ($server->requests)[-1]{headers} };
		is(join(' ', sort keys %headers), 'accept host user-agent', 'is not, by the next page');
	}
	is(join(' ', sort glob "$home/{.,}* " . $node->data_dir . '/{.,}*'), join(' ', @before), 'nor on the disk');
}

# --- looking up a name ------------------------------------------------------------------

sub threads
{
	my ($pid) = @_;
	return scalar(() = glob "/proc/$pid/task/*");
}

SKIP:
{
	skip 'looking up a name: no compiler for the resolver', 1 unless $resolver;

	$session->value("SET pg_transferbench.allowed_hosts = '127.0.0.1, *.test'");
	my $observer = TransferBench::Session->new($node);
	my $lookup = fetch('http://stalled.test/');
	my $next = fetch($server->url('/rows'));
	my ($start, $late_ms);

	for my $round (1 .. 3)
	{
		$session->send($lookup);
		wait_for_backend($observer, $session->pid, 'Extension');
		$start = time;
		kill 'INT', $session->pid;
		my $result = $session->finish;
		$late_ms = (time - $start) * 1000;
		ok($result->{error}{sqlstate} eq '57014' && $late_ms < LIMIT_MS, "a stalled look-up is cancelled, $round")
		  or diag(sprintf '%.1f ms: %s', $late_ms, $result->{errors});
		succeeds($session, $next, '3|ok', "and the next statement works, $round");
	}

	$start = time;
	fails_with($session, $lookup, { sqlstate => '08001', message => qr/could not connect to .* within 0\.3 s/, hint => qr/connect_timeout/ },
		'connect_timeout ends a stalled look-up');
	cmp_ok((time - $start) * 1000 - CONNECT_TIMEOUT_MS, '<', LIMIT_MS, 'in time');
	succeeds($session, $next, '3|ok', 'and the next statement works');

	with_setting($session, connect_timeout => '0',
		sub {
			$session->value('SET statement_timeout = 200');
			$start = time;
			fails_with($session, $lookup, { sqlstate => '57014' }, 'statement_timeout ends one that may take for ever');
			cmp_ok((time - $start) * 1000 - 200, '<', LIMIT_MS, 'in time');
			$session->value('RESET statement_timeout');
			with_setting($session, timeout => '200ms',
				sub { fails_with($session, $lookup, { sqlstate => '08001', message => qr/within 0\.2 s/, hint => qr/pg_transferbench\.timeout/ }, 'and so does timeout') });
		});

	my $doomed = TransferBench::Session->new($node);
	$doomed->value("SET pg_transferbench.allowed_hosts = '*.test'");
	$doomed->send($lookup);
	wait_for_backend($observer, $doomed->pid, 'Extension');
	$start = time;
	kill 'TERM', $doomed->pid;
	is($doomed->finish->{error}{sqlstate}, '57P01', 'a stalled look-up is terminated');
	cmp_ok((time - $start) * 1000, '<', LIMIT_MS, 'in time');
	wait_until(sub { !-d '/proc/' . $doomed->pid }, 'the end of the backend');
	pass('and its process ends, with the thread that looks up');

	# of a look-up that comes to an end nothing is left
	my $brief = TransferBench::Session->new($node);
	$brief->value("SET pg_transferbench.allowed_hosts = '*.test'");
	$brief->value('SET statement_timeout = 100');
	my $descriptors = open_descriptors($brief->pid);
	is(threads($brief->pid), 1, 'one thread, before a name is looked up');
	$brief->run(fetch('http://slow.test/')) for 1 .. 5;
	cmp_ok(threads($brief->pid), '>', 1, 'more, while look-ups that nobody waits for go on');
	wait_until(sub { threads($brief->pid) == 1 }, 'the end of their threads');
	pass('and one again after their end');
	$brief->value('RESET statement_timeout');
	fails_with($brief, fetch('http://slow.test/'), { sqlstate => '08001', message => qr/resolve/ }, 'a slow answer that there is no such name');
	is(threads($brief->pid), 1, 'leaves no thread either');
	is(open_descriptors($brief->pid), $descriptors, 'and none of them a descriptor');
}

done_testing();
