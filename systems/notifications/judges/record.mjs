// Sends one push with the vendors' client libraries to our fake servers, and prints what arrived as JSON.
// See README.md for how to run it.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import readline from 'node:readline';
import apn from '@parse/node-apn';
import { cert, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import { Webhook } from 'standardwebhooks';

const TOKEN = 'a-token-nobody-may-see-0123456789';
const ID = '7f1f2c52-8b1a-4a53-9f0e-5f6f3c8f4b10';
const now = Math.floor(Date.now() / 1000);

const fakes = spawn('cargo', ['run', '-q', '-p', 'planisphere-notifications', '--example', 'push_fakes'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const lines = readline.createInterface({ input: fakes.stdout })[Symbol.asyncIterator]();
const nextLine = async () => JSON.parse((await lines.next()).value);
const settings = await nextLine();

await sendByFcm();
await sendByApns();
fakes.stdin.write('\n');
const seen = await nextLine();
fakes.stdin.end();

const recorded = {
  'firebase-admin': { version: version('firebase-admin'), requests: [...seen.tokens, ...seen.messages].map(shown) },
  '@parse/node-apn': {
    version: version('@parse/node-apn'),
    requests: seen.apns.map(shown),
    violations: seen.apnsViolations,
  },
  standardwebhooks: {
    version: version('standardwebhooks'),
    signature: new Webhook('whsec_ZGVtbyBzZWNyZXQgb2YgdGhlIGZha2UgcmVjZWl2ZXI=').sign(
      'msg_1', new Date(1751468400000), '{"type":"notification"}'),
  },
};
console.log(JSON.stringify(recorded, null, 2));
process.exit(0);

async function sendByFcm() {
  const { hostname, port } = new URL(settings.fcm.endpoint);
  // The library only knows the real hosts, over TLS; here all of them lead to the fake, without TLS.
  https.globalAgent.createConnection = () => net.connect(Number(port), hostname);
  const account = { projectId: settings.fcm.project, clientEmail: settings.fcm.account, privateKey: settings.fcm.key };
  const app = initializeApp({ credential: cert(account), projectId: settings.fcm.project });
  await getMessaging(app).send({
    token: TOKEN,
    notification: { title: 'alice liked your post', body: 'A walk in the hills' },
    data: { notificationId: ID, category: 'SOCIAL', deeplink: 'asora://post/p1', actorId: 'alice' },
    android: {
      priority: 'high',
      ttl: 86400 * 1000,
      collapseKey: ID,
      notification: { channelId: 'social', tag: ID },
    },
    apns: {
      headers: { 'apns-priority': '10', 'apns-expiration': String(now + 86400), 'apns-collapse-id': ID },
      payload: { aps: { badge: 3, sound: 'default', threadId: 'social', category: 'SOCIAL' } },
    },
  });
}

async function sendByApns() {
  const provider = new apn.Provider({
    token: { key: settings.apns.key, keyId: settings.apns.keyId, teamId: settings.apns.team },
    address: new URL(settings.apns.endpoint).hostname,
    port: Number(new URL(settings.apns.endpoint).port),
  });
  // Without TLS, as the library's own tests do it.
  provider.client._mockOverrideUrl = settings.apns.endpoint;
  const note = new apn.Notification();
  note.alert = { title: 'alice liked your post', body: 'A walk in the hills' };
  note.badge = 3;
  note.sound = 'default';
  note.threadId = 'social';
  note.aps.category = 'SOCIAL';
  note.payload = { deeplink: 'asora://post/p1', notificationId: ID, data: { actorId: 'alice' } };
  note.topic = settings.apns.topic;
  note.pushType = 'alert';
  note.priority = 10;
  note.expiry = now + 86400;
  note.collapseId = ID;
  note.id = ID;
  const result = await provider.send(note, TOKEN);
  if (result.sent.length !== 1) console.error('apns:', JSON.stringify(result.failed));
  provider.shutdown();
}

// A request without keys, signatures and times of the day.
function shown(request) {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, header(name, value)]));
  return { method: request.method, path: request.path, overHttp2: request.overHttp2, headers, body: body(request) };
}

function header(name, value) {
  if (name === 'host') return '(host)';
  if (name === 'content-length') return '(length)';
  if (name === 'apns-expiration') return distance(Number(value));
  const token = value.match(/^bearer (ey.*)$/i)?.[1];
  return token ? { scheme: value.split(' ')[0], ...jwt(token) } : value;
}

function body(request) {
  if (request.body.startsWith('grant_type=') || request.body.includes('assertion=')) {
    const form = Object.fromEntries(new URLSearchParams(request.body));
    return { ...form, assertion: jwt(form.assertion) };
  }
  const parsed = JSON.parse(request.body);
  const headers = parsed.message?.apns?.headers;
  if (headers) headers['apns-expiration'] = distance(Number(headers['apns-expiration']));
  return parsed;
}

function jwt(token) {
  const part = (text) => JSON.parse(Buffer.from(text, 'base64url').toString());
  const [head, claims] = token.split('.').slice(0, 2).map(part);
  for (const name of ['iat', 'exp']) if (name in claims) claims[name] = distance(claims[name]);
  return { header: head, claims };
}

// Seconds from the start of this program, without the few it has been running.
function distance(seconds) {
  return `now + ${Math.round((seconds - now) / 60) * 60} s`;
}

function version(name) {
  return JSON.parse(readFileSync(new URL('package.json', import.meta.url))).dependencies[name];
}
