module ghostcube

go 1.26

exclude github.com/ebitengine/debugui v0.3.0

require (
	github.com/mas-bandwidth/serialize.go v1.4.1 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
