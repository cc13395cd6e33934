# For ghostcube score (docs/gamelog.md): copy this into a Godot project, 4.4 or later (not run here). The game calls server for
# each tick of the server: in _physics_process a RigidBody3D is where the tick before left it, so with that one's number. In the
# client key in _input, when a key is read; input in each tick, view in each frame; packet for each datagram; clock once a second,
# in role both too, with Engine.get_physics_interpolation_fraction() added to the tick. Bodies are a Dictionary of id and Node3D.
class_name GameLog
extends RefCounted

var file: FileAccess
var mutex := Mutex.new()
var held := ""
var read := -1
var flushed := 0

# role: client, server or both. hz: ticks a second. fps: frames a second, 10 to 240. player: the player's body.
func _init(path: String, role: String, hz: int, fps: int, player: int) -> void:
	file = FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		push_error("%s: %s" % [path, error_string(FileAccess.get_open_error())])
	line('{"t":"h","v":1,"role":"%s","up":"y","hz":%d,"fps":%d,"body":%d}' % [role, hz, fps, player])

func server(tick: int, bodies: Dictionary) -> void:
	line('{"t":"s","k":%d,"b":[%s]}' % [tick, list(bodies, false)])

# Bodies that are drawn at one server tick, and those at another one. newest: the newest input in the player's pose.
func view(tick: float, own: Dictionary, other_tick: float, others: Dictionary, newest: int) -> void:
	line('{"t":"v","us":%d,"k":%.3f,"b":[%s],"ko":%.3f,"o":[%s],"in":%d}' % [
		Time.get_ticks_usec(), maxf(tick, 0.0), list(own, true), maxf(other_tick, 0.0), list(others, true), newest])

func key() -> void:
	read = Time.get_ticks_usec() if read < 0 else read

# keys: held from this input on, letters of WASDUZEC. The time is that of key, which is before the tick.
func input(id: int, keys: String) -> void:
	if keys != held:
		line('{"t":"i","us":%d,"id":%d,"keys":"%s"}' % [Time.get_ticks_usec() if read < 0 else read, id, keys])
	held = keys
	read = -1

# way: up or down. bytes: of the payload. server_tick: with its fraction.
func packet(way: String, bytes: int) -> void: line('{"t":"p","us":%d,"dir":"%s","bytes":%d}' % [Time.get_ticks_usec(), way, bytes])
func clock(server_tick: float, rtt: float) -> void: line('{"t":"c","us":%d,"k":%.3f,"rtt":%d}' % [Time.get_ticks_usec(), server_tick, int(rtt * 1e6)])
func correction(replayed: int) -> void: line('{"t":"r","us":%d,"n":%d}' % [Time.get_ticks_usec(), replayed])

func line(text: String) -> void:
	mutex.lock()
	if file != null:
		file.store_line(text)
		if Time.get_ticks_usec() - flushed > 1000000: # the Stop button costs a second
			file.flush()
			flushed = Time.get_ticks_usec()
	mutex.unlock()

# drawn: between two physics ticks, where the node interpolates.
func list(bodies: Dictionary, drawn: bool) -> String:
	var b: PackedStringArray = []
	for id: int in bodies:
		var t: Transform3D = bodies[id].get_global_transform_interpolated() if drawn else bodies[id].global_transform
		var q := t.basis.get_rotation_quaternion()
		b.append("[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]" % [id, t.origin.x, t.origin.y, t.origin.z, q.x, q.y, q.z, q.w])
	return ",".join(b)
