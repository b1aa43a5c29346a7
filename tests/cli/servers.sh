# Servers for benchmarks to talk to, each in a directory of its own below the case's directory, on a socket
# there or a free port of the loopback, as an unprivileged user; stopped when the case ends. Sourced after
# lib.sh. A server that is not installed skips the case by name.
#
#	start_postgres    then pgbench and psql find it: PGHOST and PGUSER are set
#	start_redis       $redis_socket
#	start_nginx       $nginx_url, a page of six bytes
# shellcheck shell=bash

servers=()

# The servers as they are asked to end, not killed: PostgreSQL would leak shared memory.
stop_servers() {
	local id

	for id in "${servers[@]}"; do
		kill -INT "$id" 2> /dev/null
	done
	for id in "${servers[@]}"; do
		wait "$id" 2> /dev/null
	done
	servers=()
}

# serve COMMAND...: in the background; PostgreSQL will not run as root, so none does
serve() {
	local user=()

	if [[ $(id -u) -eq 0 ]]; then
		user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
	fi
	start "${user[@]}" "$@" > server.log 2>&1
	servers+=("$started")
	trap stop_servers EXIT
}

# server_folder NAME: one that the server may write to
server_folder() {
	mkdir -p "$1"
	if [[ $(id -u) -eq 0 ]]; then
		need_program setpriv
		chown 65534:65534 "$1"
	fi
}

# The newest PostgreSQL's programs: Debian keeps them out of PATH.
postgres_programs() {
	local dir

	dir=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
	if [[ -x $dir/postgres ]]; then
		echo "$dir"
	elif command -v postgres > /dev/null; then
		dirname "$(command -v postgres)"
	fi
}

start_postgres() {
	local programs

	programs=$(postgres_programs)
	[[ $programs ]] || skip 'needs postgres'
	server_folder postgres
	serve "$programs/initdb" -D "$PWD/postgres/data" -A trust -N -U postgres
	wait "$started" || fail 'initdb' 'a database' "$(tail -n 3 server.log)"
	servers=()
	serve "$programs/postgres" -D "$PWD/postgres/data" -k "$PWD/postgres" -F \
		-c listen_addresses= -c shared_buffers=16MB
	export PGHOST=$PWD/postgres PGUSER=postgres PGDATABASE=postgres
	until_true "$programs/pg_isready" -q
}

start_redis() {
	local server=(redis-server)

	# Debian's redis-tools has the program, under the name of another of its trades
	command -v redis-server > /dev/null || {
		need_program redis-check-rdb
		server=(bash -c 'exec -a redis-server redis-check-rdb "$@"' redis)
	}
	need_program redis-cli
	server_folder redis
	redis_socket=$PWD/redis/socket
	serve "${server[@]}" --port 0 --unixsocket "$redis_socket" --unixsocketperm 777 --save '' \
		--dir "$PWD/redis"
	until_true redis_answers
}

redis_answers() {
	[[ $(redis-cli -s "$redis_socket" ping 2> /dev/null) == PONG ]]
}

# listens PORT: does someone, on the loopback?
listens() {
	(: < "/dev/tcp/127.0.0.1/$1") 2> /dev/null
}

# Store an unused port of the loopback in $port.
find_port() {
	port=$((20000 + RANDOM % 10000))
	while listens "$port"; do
		port=$((port + 1))
	done
}

start_nginx() {
	local port

	PATH=$PATH:/usr/sbin need_program nginx
	server_folder nginx
	echo hello > nginx/index.html
	find_port
	cat > nginx/conf <<- END
		daemon off;
		worker_processes 1;
		pid $PWD/nginx/pid;
		error_log $PWD/nginx/errors;
		events { }
		http {
			access_log off;
			client_body_temp_path $PWD/nginx;
			proxy_temp_path $PWD/nginx;
			fastcgi_temp_path $PWD/nginx;
			uwsgi_temp_path $PWD/nginx;
			scgi_temp_path $PWD/nginx;
			server {
				listen 127.0.0.1:$port;
				root $PWD/nginx;
			}
		}
	END
	PATH=$PATH:/usr/sbin serve nginx -p "$PWD/nginx" -e "$PWD/nginx/errors" -c "$PWD/nginx/conf"
	until_true listens "$port"
	# shellcheck disable=SC2034
	nginx_url=http://127.0.0.1:$port/
}
