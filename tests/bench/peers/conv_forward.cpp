// conv_forward C H W K R STRIDE PAD KIND ROUNDS CLOCK LIBRARY FUSED: a convolution of one picture, x[C][H][W] by w[K][C][R][R],
// or by w[C][R][R] where KIND is `depthwise` and not `dense`, ours against oneDNN's, in turns. Both libraries have convolution(x,
// w, y). Prints medians in seconds: ours; ours with fused multiply-add; oneDNN in layouts of its own, its weights packed ahead of
// time; oneDNN from and to plain layouts, as ours; then the largest difference relative to the largest element. CLOCK is
// `processor`, this thread's own time, or `clock`.
#include "convolution_turns.h"

namespace {

using namespace peer;

class Peer {
 public:
  Peer(const Layer& layer, Floats& xs, Floats& ws, Floats& ys) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    auto any = memory::format_tag::any;
    memory::dims strides{layer.stride, layer.stride}, pads{layer.pad, layer.pad};
    dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                            floats_desc(layer.x_dims(), any), floats_desc(layer.w_dims(), any),
                                            floats_desc(layer.y_dims(), any), strides, pads, pads);
    dnnl::convolution_forward::primitive_desc chosen(forward, engine_);
    primitive_ = dnnl::convolution_forward(chosen);
    plain_x_ = memory(floats_desc(layer.x_dims(), memory::format_tag::nchw), engine_, xs.data());
    plain_w_ = memory(floats_desc(layer.w_dims(), layer.w_tag()), engine_, ws.data());
    plain_y_ = memory(floats_desc(layer.y_dims(), memory::format_tag::nchw), engine_, ys.data());
    x_ = memory(chosen.src_desc(), engine_);
    w_ = memory(chosen.weights_desc(), engine_);
    y_ = memory(chosen.dst_desc(), engine_);
    reorder(plain_w_, w_);
    reorder(plain_x_, x_);
  }

  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_WEIGHTS, w_}, {DNNL_ARG_DST, y_}});
    stream_.wait();
  }

  void run_plain() {
    reorder(plain_w_, w_);
    reorder(plain_x_, x_);
    run();
    reorder(y_, plain_y_);
  }

 private:
  void reorder(memory& from, memory& to) {
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_forward primitive_;
  memory plain_x_, plain_w_, plain_y_, x_, w_, y_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 13) {
    return 64;
  }
  Layer layer = read_layer(argv);
  Convolution* ours = loaded(argv[11]);
  Convolution* fused = loaded(argv[12]);
  Floats x = random_floats(layer.inputs(), 1), weights = random_floats(layer.weights(), 2);
  Floats found(static_cast<std::size_t>(layer.outputs())), at_once = found, theirs = found;
  Peer peer(layer, x, weights, theirs);
  print_medians({[&] { ours(x.data(), weights.data(), found.data()); }, [&] { fused(x.data(), weights.data(), at_once.data()); },
                 [&] { peer.run(); }, [&] { peer.run_plain(); }},
                std::atoi(argv[9]), argv[10]);
  std::printf("%.3g\n", std::max(difference(found, theirs), difference(at_once, theirs)));
}
