// What Redis does as one step. Nothing of a script is undone where it fails in the middle, so it looks before it writes.

/**
 * Makes a change, or puts states back, unless the store has another version than the one that was seen. Gives 1 where it is made, and 2 where the lease
 * is over that it was decided under. A text is why it is made and not noted in the audit trail.
 *
 * KEYS: states, history, version, leader, accepted differences, audit trail. ARGV 1: the version that was seen, or '' for any. 2: the channel.
 * 3: how long a history is kept. 4: states, entries and accepted differences to begin with, as JSON, or ''. 5: the version that there was. 6: the key,
 * or '' for no change. 7: its state. 8: the entry. 9: the lease, or '' for a change that needs none. 10: about how many entries of the audit trail
 * are kept. From 11 on: the keys that are taken back.
 */
export const changeScript = `if ARGV[9] ~= '' and redis.call('GET', KEYS[4]) ~= ARGV[9] then return 2 end
local version = redis.call('GET', KEYS[3]) or '0'
if ARGV[1] ~= '' and ARGV[1] ~= version then return 0 end
local now = redis.call('TIME')
local time = string.format('%d', now[1] * 1000 + math.floor(now[2] / 1000))
local following = string.format('%d', math.max(tonumber(version), tonumber(ARGV[5])) + 1)
if ARGV[4] ~= '' then
  local begin = cjson.decode(ARGV[4])
  redis.call('DEL', KEYS[1], KEYS[2])
  for at = 1, #begin.states, 2 do redis.call('HSET', KEYS[1], begin.states[at], begin.states[at + 1]) end
  for _, entry in ipairs(begin.history) do redis.call('RPUSH', KEYS[2], entry) end
  for at = 1, #begin.accepted, 2 do redis.call('HSETNX', KEYS[5], begin.accepted[at], begin.accepted[at + 1]) end
end
local noted
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[1], ARGV[6], ARGV[7])
  for at = 11, #ARGV do redis.call('HDEL', KEYS[1], ARGV[at]) end
  local entry = string.sub(ARGV[8], 1, -2) .. ',"version":' .. following .. ',"time":' .. time .. '}'
  redis.call('RPUSH', KEYS[2], entry)
  if ARGV[10] ~= '0' then
    local isRead, given = pcall(cjson.decode, ARGV[8])
    if isRead then
      local fields = { 'version', following }
      for name, value in pairs(given) do
        fields[#fields + 1] = name
        fields[#fields + 1] = tostring(value)
      end
      noted = redis.pcall('XADD', KEYS[6], 'MAXLEN', '~', ARGV[10], '*', unpack(fields))
    else
      noted = { err = tostring(given) }
    end
  end
end
redis.call('LTRIM', KEYS[2], -ARGV[3], -1)
redis.call('SET', KEYS[3], following)
redis.pcall('PUBLISH', ARGV[2], following)
if type(noted) == 'table' and noted.err then return noted.err end
return 1`

/**
 * Accepts a difference, or takes that back.
 *
 * KEYS: accepted differences, audit trail. ARGV 1: the difference. 2: who accepts it and why, as JSON, or '' to take it back. 3: the channel.
 * 4: about how many entries of the audit trail are kept. From 5 on: names and values of the entry in turn.
 */
export const acceptScript = `if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
if ARGV[4] ~= '0' then redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', unpack(ARGV, 5)) end
redis.pcall('PUBLISH', ARGV[3], ARGV[1])
return 1`

/**
 * Adds the figures of one replica to those of all, unless it has that report already, and has it lead where no other one does.
 *
 * KEYS: leader, number of leaders, times of replicas, figures, reports that were taken, what replicas tell of themselves, times of requests.
 * ARGV 1: the replica. 2: its run. 3: the number of the report. 4: for how many milliseconds it leads, or 0 for one that may not. 5: for how
 * long a replica counts. 6: for how long its last report is known. 7: what it tells of itself. 8: the routes that it was asked for, as JSON.
 * From 9 on: names and numbers in turn.
 *
 * Gives the lease, 1 where it is its own, what replicas tell of themselves, all figures, times of requests, and now. The time of no route is since
 * when it counts.
 */
export const reportScript = `local now = redis.call('TIME')
local time = now[1] * 1000 + math.floor(now[2] / 1000)
local name, run, number = ARGV[1], ARGV[2], tonumber(ARGV[3])
redis.call('HSETNX', KEYS[7], '', string.format('%d', time))
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', time - ARGV[5])) do redis.call('HDEL', KEYS[6], gone) end
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', time - ARGV[6])) do redis.call('HDEL', KEYS[5], gone) end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', time - ARGV[6])
redis.call('ZADD', KEYS[3], time, name)
redis.call('HSET', KEYS[6], name, ARGV[7])
local taken = redis.call('HGET', KEYS[5], name) or ''
local last = 0
if string.sub(taken, 1, #run + 1) == run .. ' ' then last = tonumber(string.sub(taken, #run + 2)) end
if number > last then
  redis.call('HSET', KEYS[5], name, run .. ' ' .. ARGV[3])
  for at = 9, #ARGV, 2 do redis.call('HINCRBY', KEYS[4], ARGV[at], ARGV[at + 1]) end
  for _, route in ipairs(cjson.decode(ARGV[8])) do redis.call('HSET', KEYS[7], route, string.format('%d', time)) end
end
local lease = redis.call('GET', KEYS[1])
local own = name .. '#' .. run .. '#'
local leads = lease and string.sub(lease, 1, #own) == own
if ARGV[4] ~= '0' then
  if not lease then
    lease = own .. redis.call('INCR', KEYS[2])
    redis.call('SET', KEYS[1], lease, 'PX', ARGV[4])
    leads = true
  elseif leads then
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
  end
end
return { lease or '', leads and 1 or 0, redis.call('HGETALL', KEYS[6]), redis.call('HGETALL', KEYS[4]), redis.call('HGETALL', KEYS[7]), string.format('%d', time) }`
