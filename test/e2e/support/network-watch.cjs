// Preloaded into every Node process of the server: notes each attempt to reach another machine, by name or by address.
const { appendFileSync } = require('node:fs');
const dns = require('node:dns');
const net = require('node:net');

const file = process.env.DSH_TIMELINE_NETWORK_LOG;
const note = (line) => appendFileSync(file, `${line}\n`);
const isLocal = (host) => !host || host === 'localhost' || host === '::1' || /^(::ffff:)?127\./.test(host);

if (file) {
  note(`watch ${process.argv.slice(1).join(' ')}`);
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...args) {
    // Node normalises to [[options, callback]] before it gets here from http and tls.
    const first = Array.isArray(args[0]) ? args[0][0] : args[0];
    const host =
      typeof first === 'object' && first !== null
        ? first.path
          ? undefined
          : first.host
        : typeof args[1] === 'string'
          ? args[1]
          : undefined;
    if (!isLocal(host)) note(`attempt connect ${host}`);
    return connect.apply(this, args);
  };
  for (const owner of [dns, dns.promises]) {
    const { lookup } = owner;
    owner.lookup = function (host, ...rest) {
      if (!isLocal(host)) note(`attempt lookup ${host}`);
      return lookup.call(this, host, ...rest);
    };
  }
}
