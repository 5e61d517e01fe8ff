// What Redis does as one step. Nothing of a script is undone where it fails in the middle, so it looks before it writes.

/**
 * Makes a change, or puts states back, unless the store has another version than the one that was seen. Gives 1 where it is made, and 2 where the lease
 * is over that it was decided under.
 *
 * KEYS: states, history, version, leader. ARGV 1: the version that was seen, or '' for any. 2: the channel. 3: how long a history is kept.
 * 4: states and entries to begin with, as JSON, or ''. 5: the version that there was. 6: the key, or '' for no change. 7: its state.
 * 8: the entry. 9: the lease, or '' for a change that needs none. From 10 on: the keys that are taken back.
 */
export const changeScript = `if ARGV[9] ~= '' and redis.call('GET', KEYS[4]) ~= ARGV[9] then return 2 end
local version = redis.call('GET', KEYS[3]) or '0'
if ARGV[1] ~= '' and ARGV[1] ~= version then return 0 end
local now = redis.call('TIME')
local time = string.format('%d', now[1] * 1000 + math.floor(now[2] / 1000))
local following = string.format('%d', math.max(version, ARGV[5]) + 1)
if ARGV[4] ~= '' then
  local begin = cjson.decode(ARGV[4])
  redis.call('DEL', KEYS[1], KEYS[2])
  for at = 1, #begin.states, 2 do redis.call('HSET', KEYS[1], begin.states[at], begin.states[at + 1]) end
  for _, entry in ipairs(begin.history) do redis.call('RPUSH', KEYS[2], entry) end
end
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[6], ARGV[7])
  for at = 10, #ARGV do redis.call('HDEL', KEYS[1], ARGV[at]) end
  local entry = string.sub(ARGV[8], 1, -2) .. ',"version":' .. following .. ',"time":' .. time .. '}'
  redis.call('RPUSH', KEYS[2], entry)
end
redis.call('LTRIM', KEYS[2], -ARGV[3], -1)
redis.call('SET', KEYS[3], following)
redis.pcall('PUBLISH', ARGV[2], following)
return 1`

/**
 * Adds the figures of one replica to those of all, and has it lead where no other one does. Gives the lease, how many have reported lately,
 * and all figures.
 *
 * KEYS: leader, number of leaders, replicas, figures. ARGV 1: the replica. 2: for how many milliseconds it leads. 3: for how long a replica
 * counts. From 4 on: names and numbers in turn.
 */
export const reportScript = `local now = redis.call('TIME')
local time = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZADD', KEYS[3], time, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', time - ARGV[3])
for at = 4, #ARGV, 2 do redis.call('HINCRBY', KEYS[4], ARGV[at], ARGV[at + 1]) end
local lease = redis.call('GET', KEYS[1])
if not lease then
  lease = ARGV[1] .. '#' .. redis.call('INCR', KEYS[2])
  redis.call('SET', KEYS[1], lease, 'PX', ARGV[2])
elseif string.sub(lease, 1, #ARGV[1] + 1) == ARGV[1] .. '#' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return { lease, redis.call('ZCARD', KEYS[3]), redis.call('HGETALL', KEYS[4]) }`
