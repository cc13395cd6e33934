module ghostcube

go 1.26

exclude github.com/ebitengine/debugui v0.3.0
