# For ghostcube score (docs/gamelog.md): copy this file into a Godot project. The game calls server after each tick of the
# server; in the client input in each tick and view in each frame; packet for each datagram, by whoever knows, and clock once a
# second if the server is another process. Bodies are a Dictionary of id and Node3D.
class_name GameLog
extends RefCounted

var file: FileAccess
var held := ""


# role: client, server or both. hz: ticks a second. player: the player's body.
func _init(path: String, role: String, hz: int, player: int) -> void:
	file = FileAccess.open(path, FileAccess.WRITE)
	file.store_line('{"t":"h","v":1,"role":"%s","hz":%d,"body":%d}' % [role, hz, player])


func server(tick: int, bodies: Dictionary) -> void:
	file.store_line('{"t":"s","k":%d,"b":[%s]}' % [tick, list(bodies, false)])


# Bodies that are drawn at one server tick, and those at another one. newest: the newest input in the player's pose.
func view(tick: float, own: Dictionary, other_tick: float, others: Dictionary, newest: int) -> void:
	file.store_line('{"t":"v","us":%d,"k":%.3f,"b":[%s],"ko":%.3f,"o":[%s],"in":%d}' % [
		Time.get_ticks_usec(), tick, list(own, true), other_tick, list(others, true), newest])


# keys: held from this input on, letters of WASDUZEC.
func input(id: int, keys: String) -> void:
	if keys != held:
		file.store_line('{"t":"i","us":%d,"id":%d,"keys":"%s"}' % [Time.get_ticks_usec(), id, keys])
	held = keys


# way: up or down. bytes: of the payload.
func packet(way: String, bytes: int) -> void:
	file.store_line('{"t":"p","us":%d,"dir":"%s","bytes":%d}' % [Time.get_ticks_usec(), way, bytes])


func clock(server_tick: float, rtt_seconds: float) -> void:
	file.store_line('{"t":"c","us":%d,"k":%.3f,"rtt":%d}' % [Time.get_ticks_usec(), server_tick, int(rtt_seconds * 1e6)])


func correction(replayed: int) -> void:
	file.store_line('{"t":"r","us":%d,"n":%d}' % [Time.get_ticks_usec(), replayed])


# drawn: between two physics ticks, where the node interpolates.
func list(bodies: Dictionary, drawn: bool) -> String:
	var b: PackedStringArray = []
	for id: int in bodies:
		var t: Transform3D = bodies[id].get_global_transform_interpolated() if drawn else bodies[id].global_transform
		var q := t.basis.get_rotation_quaternion()
		b.append("[%d,%.4f,%.4f,%.4f,%.5f,%.5f,%.5f,%.5f]" % [id, t.origin.x, t.origin.y, t.origin.z, q.x, q.y, q.z, q.w])
	return ",".join(b)
