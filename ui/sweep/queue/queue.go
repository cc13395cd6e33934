// Package queue hands out the cells of a sweep to workers on other machines and collects their results, by way of a NATS
// server with JetStream. Cells are messages of a work-queue stream: a worker acknowledges one when its result is in a
// key-value bucket, and the server gives the cell of a worker that says nothing any more to another one. It knows neither
// sessions nor results, which are texts to it, and believes no message: sizes are bounded.
//
// Every program, which is its name with everything on which results depend, has a stream and a bucket of its own, so
// the cells and results of two programs never meet.
package queue

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds.
const (
	maxTask       = 128 << 10          // bytes of a task
	maxResult     = 64 << 10           // bytes of a result
	maxDeliveries = 5                  // of a task, to workers that die of it
	keep          = 7 * 24 * time.Hour // for which the server keeps cells that nobody takes, and results
	answerTime    = 10 * time.Second   // within which the server answers
	publishAtOnce = 500                // tasks
)

// prefix begins the names of streams and buckets.
const prefix = "ghostcube-"

// Task is a cell that a worker is to compute.
type Task struct {
	Program string `json:"program"`
	Key     string `json:"key"`     // of the cell
	Session string `json:"session"` // its link, with the first seed
	Trial   int    `json:"trial"`   // number of its seed, from 0
}

// Result is what a worker has sent for a cell. A Result without Key says that those after it are new.
type Result struct {
	Worker, Key string
	Text        []byte
}

// Queue is a connection to a server. After Create or Join its methods may be called at once.
type Queue struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	program  string
	name     string // of stream and bucket
	consumer jetstream.Consumer
	results  jetstream.KeyValue
}

// Address returns the address of a server without its credentials. No error has the text of the address.
func Address(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss") {
		return "", errors.New("want the address of a NATS server, such as nats://HOST:4222 or tls://USER:PASSWORD@HOST")
	}
	return u.Scheme + "://" + u.Host, nil
}

// Dial connects to a server for a program.
func Dial(address, program string) (*Queue, error) {
	shown, err := Address(address)
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(address, nats.Name("ghostcube"), nats.MaxReconnects(-1), nats.Timeout(answerTime))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncTimeout(answerTime), jetstream.WithDefaultTimeout(answerTime))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return &Queue{conn: conn, js: js, program: program, name: nameOf(program)}, nil
}

// nameOf returns the name of the stream and the bucket of a program.
func nameOf(program string) string {
	sum := sha256.Sum256([]byte(program))
	return fmt.Sprintf("%s%x", prefix, sum[:8])
}

// Close closes the connection.
func (q *Queue) Close() { q.conn.Close() }

// Create makes the stream and the bucket of the program on the server. A worker that says nothing for ackWait has died.
func (q *Queue) Create(ctx context.Context, ackWait time.Duration) (err error) {
	stream, err := q.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.name, Subjects: []string{q.name + ".*"}, Description: q.program, MaxAge: keep, MaxMsgSize: maxTask,
		Retention: jetstream.WorkQueuePolicy,
		// A cell waits once, however often it is put.
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
	})
	if err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	q.results, err = q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: q.name, Description: q.program, MaxValueSize: maxResult, TTL: keep,
	})
	if err != nil {
		return fmt.Errorf("bucket: %w", err)
	}
	q.consumer, err = stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: maxDeliveries, MaxAckPending: -1,
	})
	if err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	return nil
}

// Put puts cells into the stream, but those that wait there already.
func (q *Queue) Put(ctx context.Context, tasks []Task) error {
	for len(tasks) > 0 {
		n := min(len(tasks), publishAtOnce)
		sent := make([]jetstream.PubAckFuture, n)
		for i := range sent {
			t := tasks[i]
			t.Program = q.program
			text, err := json.Marshal(&t)
			if err == nil && len(text) > maxTask {
				err = fmt.Errorf("it has %d bytes: want at most %d", len(text), maxTask)
			}
			if err == nil {
				sent[i], err = q.js.PublishAsync(q.name+"."+t.Key, text)
			}
			if err != nil {
				return fmt.Errorf("cell %s: %w", t.Key, err)
			}
		}
		for i, s := range sent {
			select {
			case <-s.Ok():
			case err := <-s.Err():
				var refused *jetstream.APIError
				if !errors.As(err, &refused) || !strings.Contains(refused.Description, "per subject") {
					return fmt.Errorf("cell %s: %w", tasks[i].Key, err)
				}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		tasks = tasks[n:]
	}
	return nil
}

// Results sends all results in the bucket, then one without a key, and then those that come, until ctx ends.
func (q *Queue) Results(ctx context.Context) (<-chan Result, error) {
	watcher, err := q.results.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	out := make(chan Result)
	go func() {
		defer close(out)
		defer watcher.Stop()
		for {
			var r Result
			select {
			case e, ok := <-watcher.Updates():
				if !ok {
					return
				}
				if e != nil {
					r.Key, r.Worker, ok = strings.Cut(e.Key(), ".")
					if r.Text = e.Value(); !ok || len(r.Text) > maxResult {
						continue
					}
				}
			case <-ctx.Done():
				return
			}
			select {
			case out <- r:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out, nil
}

// Discard removes a result.
func (q *Queue) Discard(ctx context.Context, worker, key string) error {
	return q.results.Purge(ctx, key+"."+worker)
}

// Idle reports whether no cell waits, and no worker has one.
func (q *Queue) Idle(ctx context.Context) (bool, error) {
	info, err := q.consumer.Info(ctx)
	return err == nil && info.NumPending == 0 && info.NumAckPending == 0, err
}

// Others returns the programs, other than this one, whose cells wait on the server.
func (q *Queue) Others(ctx context.Context) (programs []string, err error) {
	list := q.js.ListStreams(ctx)
	for s := range list.Info() {
		if strings.HasPrefix(s.Config.Name, prefix) && s.Config.Name != q.name && s.State.Msgs > 0 {
			programs = append(programs, s.Config.Description)
		}
	}
	return programs, list.Err()
}

// Join turns the connection into that of a worker. joined is false as long as there is no stream of the program.
func (q *Queue) Join(ctx context.Context) (joined bool, err error) {
	q.consumer, err = q.js.Consumer(ctx, q.name, "workers")
	if err == nil {
		q.results, err = q.js.KeyValue(ctx, q.name)
	}
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Job is a cell that a worker has taken. The server hears of it until Sent.Wait, Refuse or Return.
type Job struct {
	Task
	queue *Queue
	msg   jetstream.Msg
	end   context.CancelFunc
}

// Take takes up to n cells that wait, or one after at most a second; without an error there may be none. An error of
// ErrTask says that cells were refused: the others are returned with it.
func (q *Queue) Take(ctx context.Context, n int) (jobs []*Job, err error) {
	batch, err := q.consumer.FetchNoWait(n)
	if err != nil {
		return nil, err
	}
	jobs, err = q.jobs(ctx, batch)
	if len(jobs) > 0 || err != nil {
		return jobs, err
	}
	if batch, err = q.consumer.Fetch(1, jetstream.FetchMaxWait(time.Second)); err != nil {
		return nil, err
	}
	return q.jobs(ctx, batch)
}

// jobs returns the cells of a batch.
func (q *Queue) jobs(ctx context.Context, batch jetstream.MessageBatch) (jobs []*Job, err error) {
	for msg := range batch.Messages() {
		t, bad := parseTask(msg.Data(), q.program)
		if bad == nil && msg.Subject() != q.name+"."+t.Key {
			bad = errors.New("its subject is that of another cell")
		}
		if bad != nil {
			_ = msg.Term() // if it is lost, the cell is refused again
			err = fmt.Errorf("%w %.100q: %w", ErrTask, msg.Subject(), bad)
			continue
		}
		alive, end := context.WithCancel(ctx)
		j := &Job{t, q, msg, end}
		go j.stay(alive, q.consumer.CachedInfo().Config.AckWait/3)
		jobs = append(jobs, j)
	}
	return jobs, cmp.Or(err, batch.Error())
}

// ErrTask is the error of a cell that is refused.
var ErrTask = errors.New("refused")

// parseTask reads a task for a program.
func parseTask(text []byte, program string) (t Task, err error) {
	if len(text) > maxTask {
		return t, fmt.Errorf("it has %d bytes: want at most %d", len(text), maxTask)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&t); err != nil {
		return t, err
	}
	if t.Program != program {
		return t, fmt.Errorf("it is of %.200q, and this is %s: results of two programs are not mixed", t.Program, program)
	}
	if t.Trial < 0 {
		return t, fmt.Errorf("trial %d: want 0 or more", t.Trial)
	}
	return t, nil
}

// stay tells the server now and then that the worker lives.
func (j *Job) stay(ctx context.Context, every time.Duration) {
	t := time.NewTicker(max(every, time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			_ = j.msg.InProgress() // if it is lost, another worker does the same
		case <-ctx.Done():
			return
		}
	}
}

// Sent is a result on its way into the bucket.
type Sent struct {
	job     *Job
	confirm jetstream.PubAckFuture
}

// Send publishes the result of a job. It does not wait for the server; Sent.Wait does.
func (j *Job) Send(worker string, text []byte) (*Sent, error) {
	confirm, err := j.queue.js.PublishAsync("$KV."+j.queue.name+"."+j.Key+"."+worker, text) // as KeyValue.Put does
	if err != nil {
		j.end()
		return nil, fmt.Errorf("cell %s: %w", j.Key, err)
	}
	return &Sent{j, confirm}, nil
}

// Wait waits until the server has the result, for as long as it may take to answer, and acknowledges the cell.
func (s *Sent) Wait() error {
	defer s.job.end()
	select {
	case <-s.confirm.Ok():
		return s.job.msg.Ack()
	case err := <-s.confirm.Err():
		return fmt.Errorf("cell %s: %w", s.job.Key, err)
	}
}

// Refuse takes the cell out of the stream. The sweep computes it.
func (j *Job) Refuse() error {
	defer j.end()
	return j.msg.Term()
}

// Return gives the cell to another worker.
func (j *Job) Return() error {
	defer j.end()
	if err := j.msg.Nak(); err != nil {
		return err
	}
	return j.queue.conn.FlushTimeout(answerTime)
}
