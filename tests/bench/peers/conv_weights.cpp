// conv_weights C H W K R STRIDE PAD KIND ROUNDS CLOCK LIBRARY FUSED: the gradient of a convolution by its weights, ours against
// oneDNN's, in turns: dw[K][C][R][R] from x[C][H][W] and dy[K][P][Q]; where KIND is `depthwise`, dw[C][R][R]. Both libraries have
// convolution(x, dy, dw). Prints medians in seconds as conv_forward does, oneDNN's in layouts of its own first, then from and
// to plain ones; then the largest difference relative to the largest element.
#include "convolution_turns.h"

namespace {

using namespace peer;

class Peer {
 public:
  Peer(const Layer& layer, Floats& xs, Floats& dys, Floats& dws) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    auto any = memory::format_tag::any;
    memory::dims strides{layer.stride, layer.stride}, pads{layer.pad, layer.pad};
    auto direct = dnnl::algorithm::convolution_direct;
    memory::desc x = floats_desc(layer.x_dims(), any), w = floats_desc(layer.w_dims(), any), y = floats_desc(layer.y_dims(), any);
    dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training, direct, x, w, y, strides, pads, pads);
    dnnl::convolution_backward_weights::desc backward(direct, x, w, y, strides, pads, pads);
    dnnl::convolution_backward_weights::primitive_desc chosen(backward, engine_,
                                                              dnnl::convolution_forward::primitive_desc(forward, engine_));
    primitive_ = dnnl::convolution_backward_weights(chosen);
    plain_x_ = memory(floats_desc(layer.x_dims(), memory::format_tag::nchw), engine_, xs.data());
    plain_dy_ = memory(floats_desc(layer.y_dims(), memory::format_tag::nchw), engine_, dys.data());
    plain_dw_ = memory(floats_desc(layer.w_dims(), layer.w_tag()), engine_, dws.data());
    x_ = memory(chosen.src_desc(), engine_);
    dy_ = memory(chosen.diff_dst_desc(), engine_);
    dw_ = memory(chosen.diff_weights_desc(), engine_);
    reorder(plain_x_, x_);
    reorder(plain_dy_, dy_);
  }

  void run() {
    primitive_.execute(stream_, {{DNNL_ARG_SRC, x_}, {DNNL_ARG_DIFF_DST, dy_}, {DNNL_ARG_DIFF_WEIGHTS, dw_}});
    stream_.wait();
  }

  void run_plain() {
    reorder(plain_x_, x_);
    reorder(plain_dy_, dy_);
    run();
    reorder(dw_, plain_dw_);
  }

 private:
  void reorder(memory& from, memory& to) {
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::convolution_backward_weights primitive_;
  memory plain_x_, plain_dy_, plain_dw_, x_, dy_, dw_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 13) {
    return 64;
  }
  Layer layer = read_layer(argv);
  Convolution* ours = loaded(argv[11]);
  Convolution* fused = loaded(argv[12]);
  Floats x = random_floats(layer.inputs(), 1), dy = random_floats(layer.outputs(), 2);
  Floats found(static_cast<std::size_t>(layer.weights())), at_once = found, theirs = found;
  Peer peer(layer, x, dy, theirs);
  print_medians({[&] { ours(x.data(), dy.data(), found.data()); }, [&] { fused(x.data(), dy.data(), at_once.data()); },
                 [&] { peer.run(); }, [&] { peer.run_plain(); }},
                std::atoi(argv[9]), argv[10]);
  std::printf("%.3g\n", std::max(difference(found, theirs), difference(at_once, theirs)));
}
