-- Dissector of Ghostcube's datagrams for Wireshark and tshark. `ghostcube packets --dissector` prints it.
--
--   ghostcube packets --panes rewind,snapshot --seconds 5 --format pcapng > session.pcapng
--   ghostcube packets --dissector > ghostcube.lua
--   tshark -X lua_script:ghostcube.lua -r session.pcapng -V
--
-- In Wireshark's folder of personal Lua plugins it is loaded at the start. It finds datagrams on any port by their
-- checksum, and damaged ones on the server's port. A datagram does not say which strategy its payload is of: that is
-- read from the interface's description, which such files have, or else it is the preference ghostcube.strategy. Which
-- side has sent it, the server's port says.
-- Payloads are dissected up to the first field whose place or size depends on the scene. Of a packet in fragments the
-- first one is.

-- layout: begin
-- Generated from docs/reference/wire.md.
local PORT = 40000
local NUMBERS = {
    fragment = 0x400,
    max_datagram = 0x4b0,
    max_fragments = 0x100,
    polynomial = 0x82f63b78,
    protocol = 0x42554347,
    version = 0x4,
}
local HEADER = {
    { name = "checksum", at = 0, bits = 32,
        note = "see below" },
    { name = "sequence", at = 32, bits = 16,
        note = "of this packet, low 16 bits" },
    { name = "ack", at = 48, bits = 16,
        note = "newest packet received completely, low 16 bits" },
    { name = "ack bits", at = 64, bits = 32,
        note = "bit n: packet ack-n was received completely; bit 0 clear: packet ack was, but refused; none set and ack 0: nothing was" },
    { name = "ack delay", at = 96, bits = 15,
        note = "from the arrival of ack to this datagram, in 1/16 ms; 32767: that long or longer" },
    { name = "fragment", at = 111, bits = 1,
        note = "1: a fragment header follows" },
}
local FRAGMENT = {
    { name = "fragment id", at = 112, bits = 8,
        note = "from 0" },
    { name = "fragment count less 1", at = 120, bits = 8,
        note = "fragments of the packet, less 1: 1 to 255" },
    { name = "payload checksum", at = 128, bits = 32,
        note = "CRC-32C over protocol, version and the whole payload of the packet" },
}
-- By direction and strategy; that without a name is of all others. WHOLE are payloads that have nothing else.
local PAYLOADS = {
    up = {
        [""] = {
            { name = "tick bits less 8", bits = 4 },
            { name = "tick", bits_of = "tick bits less 8", more = 8 },
            { name = "count less 1", bits = 7 },
            { name = "important", bits = 1 },
            { name = "buttons", bits = 6 },
            { name = "heading changed", bits = 1 },
            { name = "heading", bits = 8, when = { name = "heading changed", equal = false, value = 0 } },
        },
        ["lockstep"] = {
            { name = "has inputs", bits = 1 },
            { name = "tick", bits = 16 },
            { name = "count", bits = 9, when = { name = "has inputs", equal = false, value = 0 } },
            { stop = true },
        },
        ["rollback"] = {
            { name = "tick", bits = 16 },
            { name = "wants own", bits = 1 },
            { name = "count", bits = 8 },
            { name = "tick", bits = 16, when = { name = "count", equal = false, value = 0 } },
            { stop = true, when = { name = "count", equal = false, value = 0 } },
            { name = "has query", bits = 1 },
        },
    },
    down = {
        [""] = {
            { name = "tick", bits = 16 },
            { stop = true },
        },
        ["historyoffset"] = {
            { name = "input source", bits = 2 },
            { name = "client tick", bits = 16, when = { name = "input source", equal = false, value = 0 } },
            { name = "waited ticks", bits = 6, when = { name = "input source", equal = false, value = 0 } },
            { name = "tick", bits = 16 },
            { stop = true },
        },
        ["lockstep"] = {
            { name = "has inputs", bits = 1 },
            { name = "tick", bits = 16 },
            { name = "count", bits = 9, when = { name = "has inputs", equal = false, value = 0 } },
            { stop = true },
        },
        ["relative"] = {
            { name = "input source", bits = 2 },
            { name = "client tick", bits = 16, when = { name = "input source", equal = false, value = 0 } },
            { name = "waited ticks", bits = 6, when = { name = "input source", equal = false, value = 0 } },
            { name = "has parent", bits = 1 },
            { stop = true },
        },
        ["rewind"] = {
            { name = "resync recent", bits = 1 },
            { name = "resync age", bits = 10, when = { name = "resync recent", equal = false, value = 0 } },
        },
        ["rollback"] = {
            { name = "tick", bits = 16 },
            { name = "count", bits = 8 },
            { stop = true },
        },
        ["snapshot"] = {
            { name = "tick", bits = 15 },
            { name = "packed", bits = 1 },
            { name = "level", bits = 4, when = { name = "packed", equal = false, value = 0 } },
            { name = "level", bits = 3, when = { name = "level", equal = true, value = 9 } },
            { name = "level", bits = 2, when = { name = "level", equal = true, value = 10 } },
            { name = "index encoding", bits = 3, when = { name = "level", equal = true, value = 10 } },
            { name = "position steps", bits = 3, when = { name = "level", equal = true, value = 9 } },
            { name = "rotation bits less 3", bits = 4, when = { name = "level", equal = true, value = 9 } },
        },
        ["statesync"] = {
            { name = "tick", bits = 16 },
            { name = "inputs", bits = 6 },
            { stop = true, when = { name = "inputs", equal = false, value = 0 } },
            { name = "authority", bits = 1 },
            { name = "velocities", bits = 1 },
            { name = "quantised", bits = 1 },
            { name = "position steps", bits = 2, when = { name = "quantised", equal = false, value = 0 } },
            { name = "rotation bits less 9", bits = 3, when = { name = "quantised", equal = false, value = 0 } },
            { name = "relative", bits = 1, when = { name = "quantised", equal = false, value = 0 } },
            { name = "delta", bits = 1, when = { name = "quantised", equal = false, value = 0 } },
            { name = "delta base", bits = 2, when = { name = "delta", equal = false, value = 0 } },
            { name = "consumed tick", bits = 16, when = { name = "authority", equal = false, value = 0 } },
            { stop = true },
        },
    },
}
local WHOLE = {
    up = {
        ["rewind"] = {
            { name = "resync state", bits = 16 },
        },
    },
    down = {
    },
}
-- layout: end

local udp_ports = DissectorTable.get("udp.port")
local description = Field.new("frame.interface_description")

local proto = Proto("ghostcube", "Ghostcube")
proto.prefs.port = Pref.uint("Server's UDP port", PORT, "Datagrams to this port are a client's")
proto.prefs.strategy = Pref.string("Strategy", "", "Strategy of payloads, if the interface names none: rewind, snapshot, ...")

local rejected = ProtoExpert.new("ghostcube.rejected", "rejected", expert.group.MALFORMED, expert.severity.ERROR)
local incomplete = ProtoExpert.new("ghostcube.incomplete", "incomplete", expert.group.MALFORMED, expert.severity.WARN)
proto.experts = { rejected, incomplete }

-- One field of the protocol for each name, in headers and in payloads. Names are those of the wire reference, in filters
-- with underscores. Numbers of 32 bits are checksums and sets of bits, which are shown in hexadecimal.
local payload_bytes = ProtoField.bytes("ghostcube.payload", "payload")
local registered = { payload_bytes }

local function register(prefix, names, item)
    if item.name and not names[item.name] then
        local base_of_name = item.bits == 32 and base.HEX or base.DEC
        local f = ProtoField.uint32(prefix .. item.name:gsub(" ", "_"), item.name, base_of_name, nil, nil, item.note)
        names[item.name] = f
        registered[#registered + 1] = f
    end
end

local header_fields, payload_fields = {}, {}
for _, list in ipairs({ HEADER, FRAGMENT }) do
    for _, item in ipairs(list) do
        register("ghostcube.", header_fields, item)
    end
end
for _, by_direction in ipairs({ PAYLOADS, WHOLE }) do
    for _, by_strategy in pairs(by_direction) do
        for _, list in pairs(by_strategy) do
            for _, item in ipairs(list) do
                register("ghostcube.payload.", payload_fields, item)
            end
        end
    end
end
proto.fields = registered

-- xor returns the exclusive or of two numbers of 32 bits. Wireshark's Lua 5.2 and 5.4 both have bit.
local function xor(a, b)
    return bit.bxor(a, b) % 4294967296
end

local crc_of_byte = {}
for i = 0, 255 do
    local crc = i
    for _ = 1, 8 do
        local low = crc % 2
        crc = math.floor(crc / 2)
        if low == 1 then
            crc = xor(crc, NUMBERS.polynomial)
        end
    end
    crc_of_byte[i] = crc
end

local function crc_step(crc, byte)
    return xor(math.floor(crc / 256), crc_of_byte[xor(crc % 256, byte)])
end

local crc_start = 4294967295
for _, n in ipairs({ NUMBERS.protocol, NUMBERS.version }) do
    for _ = 1, 4 do
        crc_start = crc_step(crc_start, n % 256)
        n = math.floor(n / 256)
    end
end

-- checksum returns the checksum of the bytes after the one that the datagram begins with.
local function checksum(tvb)
    local bytes, crc = tvb:bytes(), crc_start
    for i = 4, bytes:len() - 1 do
        crc = crc_step(crc, bytes:get_index(i))
    end
    return xor(crc, 4294967295)
end

-- header_bytes returns the size of a header in bytes.
local function header_bytes(list)
    local last = list[#list]
    return (last.at + last.bits) / 8
end

local short_bytes = header_bytes(HEADER)
local long_bytes = header_bytes(FRAGMENT)

-- number returns the bits from bit at on, at most 32, lowest first.
local function number(tvb, at, bits)
    local first, v, scale = math.floor(at / 8), 0, 1
    for i = first, math.floor((at + bits - 1) / 8) do
        v = v + tvb(i, 1):uint() * scale
        scale = scale * 256
    end
    return math.floor(math.floor(v / 2 ^ (at % 8)) % 2 ^ bits)
end

-- add adds a field to a tree and returns its value, or nothing if the bytes end before it does.
local function add(tree, field, tvb, at, bits)
    if at + bits > 8 * tvb:captured_len() then
        return nil
    end
    local v = number(tvb, at, bits)
    local first, last = math.floor(at / 8), math.floor((at + bits - 1) / 8)
    local item = tree:add(field, tvb(first, last - first + 1), v)
    item:append_text(bits == 1 and " (1 bit)" or string.format(" (%d bits)", bits))
    return v
end

-- add_header adds the fields of a header that the datagram has, and their values to a table.
local function add_header(tree, list, tvb, values)
    for _, item in ipairs(list) do
        values[item.name] = add(tree, header_fields[item.name], tvb, item.at, item.bits)
    end
end

-- reason returns why a datagram is rejected, as the wire reference names it, or nothing.
local function reason(tvb, values)
    local n = tvb:captured_len()
    if n < short_bytes then
        return "short"
    elseif n > NUMBERS.max_datagram then
        return "long"
    elseif values["checksum"] ~= checksum(tvb) then
        return "checksum"
    elseif values["fragment"] ~= 1 then
        return nil
    elseif n < long_bytes then
        return "short"
    end
    local id, last, size = values["fragment id"], values["fragment count less 1"], n - long_bytes
    if last < 1 or id > last or size < 1 or size > NUMBERS.fragment or id < last and size ~= NUMBERS.fragment then
        return "fragment"
    end
end

-- strategy returns the strategy of a packet and its settings.
local function strategy()
    local f = description()
    local name, settings = string.match(f and tostring(f.value) or "", "^([^:]*)(.*)$")
    name = string.match(name, "([^=]*)$") -- a pane may have a name of its own
    if name == "" then
        name = proto.prefs.strategy
    end
    return name, settings
end

-- holds reports whether a field is there, by the values of the fields before it.
local function holds(when, values)
    if not when then
        return true
    end
    local same = (values[when.name] or 0) == when.value
    return same == when.equal
end

-- list_bits returns the size of a list whose fields are always there.
local function list_bits(list)
    local n = 0
    for _, item in ipairs(list) do
        n = n + item.bits
    end
    return n
end

-- payload_list returns the fields at the start of a payload of some bytes.
local function payload_list(direction, name, bytes)
    local whole = WHOLE[direction][name]
    if whole and bytes == math.ceil(list_bits(whole) / 8) then
        return whole
    end
    return PAYLOADS[direction][name] or PAYLOADS[direction][""]
end

-- add_payload adds the fields at the start of a payload. bytes is the size of the strategy's own part of it.
local function add_payload(item, list, tvb, bytes)
    local at, values = 0, {}
    for _, x in ipairs(list) do
        if holds(x.when, values) then
            if x.stop then
                return
            end
            local bits = x.bits
            if x.bits_of then
                bits = values[x.bits_of] + x.more
            end
            local v = at + bits <= 8 * bytes and add(item, payload_fields[x.name], tvb, at, bits) or nil
            if not v then
                item:add_proto_expert_info(incomplete, "ends before " .. x.name)
                return
            end
            values[x.name] = values[x.name] or v
            at = at + bits
        end
    end
end

function proto.dissector(tvb, pinfo, tree)
    local n, values = tvb:captured_len(), {}
    pinfo.cols.protocol = "Ghostcube"
    local root = tree:add(proto, tvb())
    local cut = n < tvb:reported_len()
    add_header(root, HEADER, tvb, values)
    local size = short_bytes
    if values["fragment"] == 1 then
        add_header(root, FRAGMENT, tvb, values)
        size = long_bytes
    end
    local why = not cut and reason(tvb, values)
    if why then
        root:add_proto_expert_info(rejected, "rejected: " .. why)
        pinfo.cols.info = "rejected: " .. why
        return n
    elseif cut then
        root:add_proto_expert_info(incomplete, "cut by the capture")
    end
    if not values["ack delay"] then
        pinfo.cols.info = "incomplete"
        return n
    end
    local direction = pinfo.dst_port == proto.prefs.port and "up" or pinfo.src_port == proto.prefs.port and "down" or ""
    local name, settings = strategy()
    local info = string.format("%s %s sequence %d, ack %d", name, direction, values["sequence"], values["ack"])
    info = string.gsub(info, "^ +", "")
    if size == long_bytes and values["payload checksum"] then
        info = info .. string.format(", fragment %d of %d", values["fragment id"] + 1, values["fragment count less 1"] + 1)
    end
    pinfo.cols.info = info
    if n <= size then
        return n
    end
    local item = root:add(payload_bytes, tvb(size))
    if name == "" or direction == "" or cut or (values["fragment id"] or 0) > 0 then
        return n
    end
    local bytes = n - size
    local messages = string.match(settings, ":messages=([^:]*)")
    if messages and messages ~= "off" and size == short_bytes then -- the sideband and its size are at the end
        bytes = bytes - 2
        bytes = bytes >= 0 and bytes - tvb(n - 2, 2):le_uint() or bytes
        if bytes < 0 then
            item:add_proto_expert_info(incomplete, "no sideband")
            return n
        end
    end
    local list = payload_list(direction, name, bytes)
    if bytes > 0 then
        add_payload(item, list, tvb(size):tvb(), bytes)
    end
    return n
end

-- found reports whether a datagram on any port is Ghostcube's, and dissects it.
local function found(tvb, pinfo, tree)
    local n = tvb:captured_len()
    if n < short_bytes or n > NUMBERS.max_datagram or number(tvb, 0, 32) ~= checksum(tvb) then
        return false
    end
    proto.dissector(tvb, pinfo, tree)
    return true
end

local port = proto.prefs.port
udp_ports:add(port, proto)
proto:register_heuristic("udp", found)

function proto.prefs_changed()
    if port ~= proto.prefs.port then
        udp_ports:remove(port, proto)
        port = proto.prefs.port
        udp_ports:add(port, proto)
    end
end
