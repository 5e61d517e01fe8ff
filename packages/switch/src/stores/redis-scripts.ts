// What Redis does as one step. Nothing of a script is undone where it fails in the middle, so it looks before it writes.

/**
 * Makes a change, or puts states back, unless the store has another version than the one that was seen. Gives 1 where it has.
 *
 * KEYS: states, history, version. ARGV 1: the version that was seen, or '' for any. 2: the channel. 3: how long a history is kept.
 * 4: states and entries to begin with, as JSON, or ''. 5: the version that there was. 6: the key, or '' for no change. 7: its state.
 * 8: the entry. From 9 on: the keys that are taken back.
 */
export const changeScript = `local version = redis.call('GET', KEYS[3]) or '0'
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
  for at = 9, #ARGV do redis.call('HDEL', KEYS[1], ARGV[at]) end
  local entry = string.sub(ARGV[8], 1, -2) .. ',"version":' .. following .. ',"time":' .. time .. '}'
  redis.call('RPUSH', KEYS[2], entry)
end
redis.call('LTRIM', KEYS[2], -ARGV[3], -1)
redis.call('SET', KEYS[3], following)
redis.pcall('PUBLISH', ARGV[2], following)
return 1`
